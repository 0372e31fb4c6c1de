import { fireEvent, screen, within } from '@testing-library/react'
import { beforeAll, expect, it, vi } from 'vitest'
import { instances } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { backupPlans } from '@mainstay/contract/protection/backup-plans'
import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { dialog, expectAddress, openPage, press, server, withPages } from '../../../../../testing/pages'
import { pageTimeout } from '../../../../../testing/page-timeout'
import { pressAndLoad } from '../../../../../testing/press-and-load'

const long = { timeout: 180_000 }
const as = 'project-member'
withPages()
// preloads lazy modules before the tests start
beforeAll(async () => {
  await Promise.all([
    import('../../InstancePage'),
    import('./InstanceProtection'),
    import('../../../../../patterns/ActionMenu'),
  ])
}, 180_000)

const HOUR_MS = 3_600_000
const hoursAgo = (hours: number) => new Date(Date.now() - hours * HOUR_MS).toISOString()
const placeOf = (id: string) => `/compute/instances/${id}/protection`

/** Creates a virtual machine with two volumes. */
async function machine(name: string) {
  const disk = { source: 'blank' as const, size: GiB }
  const body = { name, flavor: 's1.nano', networks: [], volumes: [{ ...disk, boot_index: 0 }, disk] }
  const { id } = await server.call(instances.create, { as, body })
  return vi.waitFor(async () => {
    const instance = await server.call(instances.view, { as, params: { id } })
    expect(instance).toMatchObject({ status: 'ACTIVE', task_state: null })
    return instance
  }, pageTimeout)
}

/** Adds recovery points of these volumes to the index, as if they had been created together. Returns their IDs. */
async function instant(server_id: string, volumes: readonly string[], hours: number, part: Partial<VolumeBackup> = {}) {
  const { user, project } = server.cast.people[as]
  const [at, instant_id] = [hoursAgo(hours), crypto.randomUUID()]
  const rows = volumes.map((volume_id, index): VolumeBackup => ({
    ...{ id: crypto.randomUUID(), name: 'written', description: '', status: 'available', progress: null, fault: null },
    ...{ volume_id, volume_name: `disk-${index}`, size: GiB, stored_size: GiB, storage_policy_name: 'default' },
    ...{ is_incremental: false, parent_id: null, has_dependents: false, instant_id, device: `vd${'ab'[index]}` },
    ...{ consistency: 'crash', taken_at: at, server_id, server_name: 'a-machine' },
    ...{ backup_plan_id: null, backup_plan_name: null, verified_at: null, damaged_by: null, restore_test: null },
    ...{ project_id: project!.id, domain_id: project!.domain_id, user_id: user.id, created_at: at, updated_at: at },
    ...part,
  }))
  await server.tools.inventory.transaction(async (tx) => {
    for (const row of rows) await tx.put('volume_backup', row)
  })
  return rows.map(({ id }) => id)
}
const table = async () => within(await screen.findByRole('table', { name: 'Recovery points' }, pageTimeout))

it('shows how much data would be lost now, the backup plans, and the volumes without a plan', long, async () => {
  const { id, volumes } = await machine('shop')
  const [boot, data] = volumes.map((volume) => volume.id) as [string, string]
  const plan = await server.call(backupPlans.create, {
    ...{ as, body: { name: 'nightly', schedule: { hour: '2' }, disabled: true } },
  })
  await server.call(backupPlans.addVolumes, { as, params: { id: plan.id }, body: { ids: [boot] } })
  await instant(id, [boot], 1)
  const ofPlan = { backup_plan_id: plan.id, backup_plan_name: 'nightly' }
  const [point] = await instant(id, [boot, data], 6.5, ofPlan)
  await instant(id, [boot, data], 72)
  await instant(id, [boot, data], 90, { status: 'error' })

  await openPage(placeOf(id), as)
  const tab = await screen.findByRole('tab', { name: 'Protection' }, pageTimeout)
  expect(tab.getAttribute('aria-selected')).toBe('true')
  // the recovery point of one hour ago does not contain all volumes
  await screen.findByText(/^Everything written in the last .*6 hr/, {}, pageTimeout)
  screen.getByText('All volumes can be restored to 2 different times')
  await screen.findByText(/^1 volume has no backup plan: /, {}, pageTimeout)
  expect(screen.getByRole('link', { name: 'Open backup plans' }).getAttribute('href')).toBe('/compute/backup-plans')

  const rows = (await table()).getAllByRole('row').slice(1)
  expect(rows.map((row) => within(row).getAllByRole('cell')[1]!.textContent)).toEqual([
    ...['1 of 2', '2 of 2', '2 of 2', '2 of 2'],
  ])
  const shown = within(rows[1]!)
  expect(shown.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([
    ...[`/compute/recovery-points/${point}`, `/compute/backup-plans/${plan.id}`],
  ])
  within(rows[2]!).getByText('Manual')
  within(rows[3]!).getByText('Incomplete')
})

it('opens the forms over the tab, and returns to it', { ...long, tags: 'all' }, async () => {
  const { id, volumes } = await machine('returned-to')
  const [point] = await instant(
    id,
    volumes.map((volume) => volume.id),
    3,
  )
  const take = async (action: string) => {
    const [menu] = (await table()).getAllByRole('button', { name: /^Actions for / })
    await pressAndLoad(menu!)
    fireEvent.click(await screen.findByRole('menuitem', { name: action }, pageTimeout))
  }
  await openPage(placeOf(id), as)
  await take('Restore as a new virtual machine')
  await expectAddress(`${placeOf(id)}/restore/${point}`)
  const restore = await dialog('Restore “a-machine” as a new virtual machine')
  fireEvent.click(restore.getByRole('button', { name: 'Cancel' }))
  await expectAddress(placeOf(id))
  await take('Replace the volumes of the virtual machine')
  await expectAddress(`${placeOf(id)}/replace/${point}`)
  const replace = await dialog('Replace the volumes of “returned-to”?')
  fireEvent.click(replace.getByRole('button', { name: 'Cancel' }))
  await expectAddress(placeOf(id))
  await take('Open recovery point')
  await expectAddress(`/compute/recovery-points/${point}`)
})

it('creates the first recovery points', { ...long, tags: 'all' }, async () => {
  const { id } = await machine('unprotected')
  await openPage(placeOf(id), as)
  await screen.findByText(
    'No recovery points cover all volumes. Volumes without a recovery point would be lost.',
    {},
    pageTimeout,
  )
  await screen.findByText(/^No recovery points yet\./, {}, pageTimeout)
  await press('Create recovery points')
  await expectAddress(`${placeOf(id)}/recovery-points`)
  const form = await dialog('Create recovery points of virtual machine “unprotected”')
  fireEvent.click(form.getByRole('button', { name: 'Create recovery points' }))
  await expectAddress(placeOf(id))
  await vi.waitFor(async () => expect((await table()).getAllByRole('row')).toHaveLength(2), pageTimeout)
})
