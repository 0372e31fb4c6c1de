import { fireEvent, screen, within } from '@testing-library/react'
import { beforeAll, expect, it, vi } from 'vitest'
import { instances } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { tasks } from '@mainstay/contract/core/tasks'
import { volumeBackups, type VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { dialog, expectAddress, openPage, server, type, withPages } from '../../../../testing/pages'
import { pageTimeout } from '../../../../testing/page-timeout'
import { pressAndLoad } from '../../../../testing/press-and-load'

const long = { timeout: 240_000 }
const as = 'project-member'
const place = '/compute/recovery-points'
const restoreLabel = 'Restore as a new virtual machine'
const replaceLabel = 'Replace the volumes of the virtual machine'
withPages()
// preloads lazy modules before the tests start
beforeAll(async () => {
  await Promise.all([
    import('../../../../patterns/ActionMenu'),
    import('../point/BackupPage'),
    import('./RestoreMachineForm'),
    import('./ReplaceMachineForm'),
  ])
}, 180_000)

const view = (id: string) => server.call(instances.view, { as, params: { id } })

/** Creates a virtual machine with two volumes and recovery points of them. */
async function machine(name: string) {
  const disk = { source: 'blank' as const, size: GiB }
  const body = { name, flavor: 's1.nano', networks: [], volumes: [{ ...disk, boot_index: 0 }, disk] }
  const { id } = await server.call(instances.create, { as, body })
  await vi.waitFor(async () => {
    expect(await view(id)).toMatchObject({ status: 'ACTIVE', task_state: null })
  }, pageTimeout)
  const points = await server.call(volumeBackups.createInstant, { as, params: { id }, body: { name: `of-${name}` } })
  for (const point of points)
    await vi.waitFor(async () => {
      expect((await server.call(volumeBackups.view, { as, params: { id: point.id } })).status).toBe('available')
    }, pageTimeout)
  return { id, points }
}

/** Writes a recovery point to the index, without stored files. */
async function point(part: Partial<VolumeBackup>): Promise<VolumeBackup> {
  const { user, project } = server.cast.people[as]
  const at = '2026-11-20T02:00:00.000Z'
  const row: VolumeBackup = {
    ...{ id: crypto.randomUUID(), name: 'written', description: '', status: 'available', progress: null, fault: null },
    ...{ volume_id: 'a-deleted-volume', volume_name: 'written-disk', size: 4 * GiB, stored_size: GiB },
    ...{ is_incremental: false, parent_id: null, has_dependents: false, instant_id: crypto.randomUUID() },
    ...{ consistency: 'crash', taken_at: at, server_id: crypto.randomUUID(), server_name: 'written-vm', device: 'vda' },
    ...{ storage_policy_name: 'default', backup_plan_id: null, backup_plan_name: null },
    ...{ verified_at: null, damaged_by: null, restore_test: null },
    ...{ project_id: project!.id, domain_id: project!.domain_id, user_id: user.id, created_at: at, updated_at: at },
    ...part,
  }
  await server.tools.inventory.transaction((tx) => tx.put('volume_backup', row))
  return row
}

async function openMenu(name: string) {
  await pressAndLoad(await screen.findByRole('button', { name: `Actions for ${name}` }, pageTimeout))
  return within(await screen.findByRole('menu', {}, pageTimeout))
}
const succeeded = (name: string) =>
  vi.waitFor(async () => {
    const { data } = await server.call(tasks.list, { as, query: { name } })
    expect(data.map(({ state }) => state)).toEqual(['success'])
  }, pageTimeout)

it('restores a virtual machine as a new one with all volumes of one moment, without a network', long, async () => {
  const { id, points } = await machine('web')
  const [first] = points
  await openPage(`${place}/${first!.id}`, as)
  const menu = await openMenu('of-web')
  fireEvent.click(await menu.findByRole('menuitem', { name: restoreLabel }, pageTimeout))
  await expectAddress(`${place}/${first!.id}/restore-machine`)
  const form = await dialog('Restore “web” as a new virtual machine')
  expect(form.getByRole<HTMLInputElement>('textbox', { name: 'Name' }).value).toBe('web-restored')
  const listed = within(await form.findByRole('table', { name: 'Volumes to restore' }, pageTimeout))
  expect(listed.getAllByRole('row')).toHaveLength(3)
  form.getByText(/^2 volumes, .*2\sGiB.* in total\. All volumes can be restored\./)
  const flavor = await form.findByRole<HTMLInputElement>('radio', { name: /^s1\.nano/ }, pageTimeout)
  expect(flavor.checked).toBe(true)
  expect(form.getByRole<HTMLInputElement>('radio', { name: /^No network/ }).checked).toBe(true)

  const verb = () => form.getByRole('button', { name: 'Restore virtual machine' })
  fireEvent.click(form.getByRole('radio', { name: /^Connect to networks/ }))
  fireEvent.click(verb())
  await form.findByText('Choose a network, or “No network”', {}, pageTimeout)
  fireEvent.click(form.getByRole('radio', { name: /^No network/ }))
  fireEvent.click(verb())
  await expectAddress(`${place}/${first!.id}`)
  await succeeded('backup.restore_machine')
  const { data } = await server.call(instances.list, { as, query: { name: 'exact:web-restored' } })
  expect(data).toMatchObject([{ networks: [], flavor: (await view(id)).flavor }])
  expect(data[0]!.volumes).toHaveLength(2)
})

it('replaces the volumes of a virtual machine after its name has been typed', long, async () => {
  const { id, points } = await machine('app')
  const before = (await view(id)).volumes.map((volume) => volume.id)
  await openPage(`${place}/${points[0]!.id}/replace-machine`, as)
  const form = await dialog('Replace the volumes of “app”?')
  form.getByText(/^The virtual machine returns to its state from/)
  const steps = () => within(form.getByRole('list', { name: 'Steps' })).getAllByRole('listitem')
  expect(steps().map(({ firstChild }) => firstChild?.textContent)).toEqual([
    'Create recovery points of the current volumes',
    'Restore the volumes',
    'Shut down the virtual machine',
    'Exchange the volumes',
    'Start the virtual machine',
  ])
  fireEvent.click(form.getByRole('checkbox', { name: /^Create recovery points of the current volumes first/ }))
  await vi.waitFor(() => expect(steps()).toHaveLength(4), pageTimeout)
  const verb = () => form.getByRole<HTMLButtonElement>('button', { name: 'Replace volumes' })
  // until the recovery points are loaded, it can be focused and says so
  await vi.waitFor(() => expect(verb().disabled).toBe(true), pageTimeout)
  type(form, /^Type “app” to confirm/, 'ap')
  expect(verb().disabled).toBe(true)
  type(form, /^Type “app” to confirm/, 'app')
  await vi.waitFor(() => expect(verb().disabled).toBe(false), pageTimeout)
  fireEvent.click(verb())
  await expectAddress(`${place}/${points[0]!.id}`)
  await succeeded('backup.replace_machine')
  const after = (await view(id)).volumes.map((volume) => volume.id)
  expect(after).toHaveLength(2)
  expect(after.filter((volume) => before.includes(volume))).toEqual([])
})

it('warns of volumes that have no recovery point of that time', { ...long, tags: 'all' }, async () => {
  const { id, points } = await machine('grown')
  const other = await point({ server_id: id, server_name: 'grown', volume_id: points[0]!.volume_id })
  await openPage(`${place}/${other.id}/replace-machine`, as)
  const form = await dialog('Replace the volumes of “grown”?')
  await form.findByText(/^1 current volume has no recovery point from this time: .* It is detached but not replaced\.$/)
  await openPage(`${place}/${other.id}/restore-machine`, as)
  const restore = await dialog('Restore “grown” as a new virtual machine')
  await restore.findByText(/^1 current volume has no recovery point from this time and is not restored: /)
})

it('does not restore a virtual machine if one of its recovery points is damaged', long, async () => {
  const instant_id = crypto.randomUUID()
  const { id } = await point({ instant_id, volume_name: 'boot' })
  await point({ instant_id, volume_name: 'data', device: 'vdb', damaged_by: id })
  await openPage(`${place}/${id}/restore-machine`, as)
  const form = await dialog('Restore “written-vm” as a new virtual machine')
  await form.findAllByText(/^The recovery point of volume “data” is damaged\./, {}, pageTimeout)
  expect(form.getByRole('button', { name: 'Restore virtual machine' }).getAttribute('aria-disabled')).toBe('true')
})

it(
  'does not offer to replace the volumes of a deleted virtual machine, or to restore without one',
  { ...long, tags: 'all' },
  async () => {
    const gone = await point({ name: 'of-deleted' })
    await openPage(`${place}/${gone.id}`, as)
    const menu = await openMenu('of-deleted')
    await menu.findByRole('menuitem', { name: restoreLabel }, pageTimeout)
    await vi.waitFor(() => expect(menu.queryByRole('menuitem', { name: replaceLabel })).toBeNull(), pageTimeout)
    await openPage(`${place}/${gone.id}/replace-machine`, as)
    await screen.findByText(
      'The virtual machine no longer exists. Restore it as a new virtual machine instead.',
      {},
      pageTimeout,
    )

    const alone = await point({ name: 'of-volume', server_id: null, server_name: null })
    await openPage(`${place}/${alone.id}`, as)
    const other = await openMenu('of-volume')
    await other.findByRole('menuitem', { name: 'Restore' }, pageTimeout)
    expect(other.queryByRole('menuitem', { name: restoreLabel })).toBeNull()
    expect(other.queryByRole('menuitem', { name: replaceLabel })).toBeNull()
  },
)

it('denies access to both forms without permission', long, async () => {
  const { id } = await point({ name: 'looked-at' })
  for (const form of ['restore-machine', 'replace-machine']) {
    await openPage(`${place}/${id}/${form}`, 'viewer')
    await expectAddress('/error403')
  }
})
