import { fireEvent, screen, within } from '@testing-library/react'
import { beforeAll, expect, it, vi } from 'vitest'
import { GiB } from '@mainstay/contract/core/bytes'
import {
  backupPlans,
  type BackupPlan,
  type BackupPlanDraft,
  type BackupPlanTest,
} from '@mainstay/contract/protection/backup-plans'
import { volumes } from '@mainstay/contract/storage/volumes'
import type * as z from 'zod'
import { confirmDialog, deleteRow, dialog, isGone, openPage, press, server, told, withPages } from '../../testing/pages'
import { pageTimeout } from '../../testing/page-timeout'
import { pressAndLoad } from '../../testing/press-and-load'

const long = { timeout: 180_000 }
const as = 'project-member'
const list = '/compute/backup-plans'
withPages()
// preloads lazy modules before the tests start
beforeAll(async () => {
  await Promise.all([
    import('./list/PlanListPage'),
    import('./list/AddToPlanForm'),
    import('./page/PlanPage'),
    import('./page/AddVolumesForm'),
    import('../../patterns/ActionMenu'),
  ])
}, 180_000)

/** Creates a disabled plan, which does not run during the test. */
const plan = async (name: string, given: Partial<z.input<typeof BackupPlanDraft>> = {}): Promise<string> => {
  const body = { name, schedule: { hour: '2' }, disabled: true, ...given }
  return (await server.call(backupPlans.create, { as, body })).id
}
const volume = async (name: string): Promise<string> => {
  const { id } = await server.call(volumes.create, { as, body: { name, size: GiB } })
  await vi.waitFor(async () => {
    expect((await server.call(volumes.view, { as, params: { id } })).status).toBe('available')
  }, pageTimeout)
  return id
}
const view = (id: string) => server.call(backupPlans.view, { as, params: { id } })
const row = async (name: string) => within(await screen.findByRole('row', { name }, pageTimeout))

it('lists backup plans with their schedules, and offers to add volumes without a plan [RT-114]', long, async () => {
  const id = await plan('nightly')
  const volumeId = await volume('lonely')
  await openPage(list, as)
  const shown = await row('nightly')
  shown.getByText(/^Every day at \d\d:00$/)
  expect(shown.getByRole('link', { name: 'nightly' }).getAttribute('href')).toBe(`${list}/${id}`)
  await screen.findByRole('meter', { name: 'Volumes with a backup plan' }, pageTimeout)
  const missing = within(await screen.findByRole('table', { name: 'Volumes without a backup plan' }, pageTimeout))
  const add = screen.getByRole('button', { name: 'Add to plan…' })
  await vi.waitFor(() => expect(add.getAttribute('aria-disabled')).toBe('true'), pageTimeout)
  fireEvent.click(missing.getByRole('checkbox', { name: 'Select lonely' }))
  await vi.waitFor(() => {
    expect(screen.getByRole('button', { name: 'Add to plan…' }).getAttribute('aria-disabled')).toBeNull()
  }, pageTimeout)
  await press('Add to plan…')
  const form = await dialog('Add 1 volume to a backup plan')
  fireEvent.click(form.getByRole('button', { name: 'Add volumes' }))
  await vi.waitFor(async () => expect((await view(id)).volume_ids).toEqual([volumeId]), pageTimeout)
  await vi.waitFor(() => expect(told()).toContain('1 volume added to backup plan “nightly”'), pageTimeout)
})

it('shows the schedule and the runs of a plan in one tab, and its volumes in another [RT-117]', long, async () => {
  const id = await plan('detailed', { schedule: { hour: '2', day_of_week: '0' } })
  const other = await plan('other')
  const [kept, moved] = [await volume('kept-disk'), await volume('moved-disk')]
  await server.call(backupPlans.addVolumes, { as, params: { id }, body: { ids: [kept] } })
  await server.call(backupPlans.addVolumes, { as, params: { id: other }, body: { ids: [moved] } })

  await openPage(`${list}/${id}/overview`, as)
  await screen.findByRole('heading', { level: 1, name: 'detailed' }, pageTimeout)
  await screen.findByText(/^Every week on Monday at \d\d:00/, {}, pageTimeout)
  await screen.findByText('The plan has not run yet.', {}, pageTimeout)
  const points = await screen.findByRole('link', { name: 'Show recovery points' }, pageTimeout)
  expect(points.getAttribute('href')).toContain(`backup_plan_id=${id}`)
  screen.getByText(id)

  await openPage(`${list}/${id}/volumes`, as)
  const tab = await screen.findByRole('tab', { name: /^Volumes/ }, pageTimeout)
  expect(tab.getAttribute('aria-selected')).toBe('true')
  const table = () => screen.findByRole('table', { name: 'Volumes' }, pageTimeout)
  within(await table()).getByRole('link', { name: 'kept-disk' })
  await press('Add volumes')
  const form = await dialog('Add volumes to “detailed”')
  await form.findByText(/^In backup plan “other”/, {}, pageTimeout)
  fireEvent.click(await form.findByRole('button', { name: 'Move here: moved-disk' }, pageTimeout))
  await form.findByText(/^1 volume moves here from another plan/, {}, pageTimeout)
  fireEvent.click(form.getByRole('button', { name: 'Add volumes' }))
  const both = [kept, moved].toSorted()
  await vi.waitFor(async () => expect((await view(id)).volume_ids.toSorted()).toEqual(both), pageTimeout)
  expect((await view(other)).volume_ids).toEqual([])

  await screen.findByRole('link', { name: 'moved-disk' }, pageTimeout)
  fireEvent.click(await screen.findByRole('button', { name: 'Remove kept-disk from the plan' }, pageTimeout))
  const question = within(
    await screen.findByRole('alertdialog', { name: 'Remove “kept-disk” from backup plan “detailed”?' }, pageTimeout),
  )
  question.getByText(/Existing recovery points are kept\.$/)
  await confirmDialog()
  await vi.waitFor(async () => expect((await view(id)).volume_ids).toEqual([moved]), pageTimeout)
})

it('shows the last automatic test restore of a plan, with its reason', long, async () => {
  const id = await plan('with-tests', { test_restore: 'weekly' })
  const note = (last_test: BackupPlanTest) =>
    server.tools.inventory.transaction(async (tx) => {
      const row = await tx.lock<BackupPlan>('backup_plan', id)
      await tx.put('backup_plan', { ...row!, last_test })
    })
  const test = { at: '2026-11-23T02:05:00.000Z', server_id: 'a-server', server_name: 'shop', point_id: 'a-point' }
  await note({ ...test, result: 'confirmed', reason: null })
  await openPage(`${list}/${id}/overview`, as)
  await screen.findByText('Every week, one virtual machine', {}, pageTimeout)
  await screen.findByText('Its system came up', {}, pageTimeout)
  expect(screen.getByRole('link', { name: 'shop' }).getAttribute('href')).toMatch(/a-point$/)
  await note({ ...test, point_id: null, result: 'skipped', reason: 'The quota is too small' })
  await openPage(`${list}/${id}/overview`, as)
  await screen.findByText('Not tested: The quota is too small', {}, pageTimeout)
  expect(screen.queryByRole('link', { name: 'shop' })).toBeNull()
  await note({ ...test, result: 'failed', reason: 'It stopped' })
  await openPage(`${list}/${id}/overview`, as)
  await screen.findByText('Failed: It stopped', {}, pageTimeout)
})

it('enables, disables and deletes a plan, and does not run one without volumes', { ...long, tags: 'all' }, async () => {
  const id = await plan('switched')
  const take = async (action: string) => {
    await pressAndLoad(await (await row('switched')).findByRole('button', { name: 'Actions for switched' }))
    fireEvent.click(await screen.findByRole('menuitem', { name: action }, pageTimeout))
  }
  await openPage(`${list}?name=switched`, as)
  await take('Enable')
  await vi.waitFor(async () => expect((await view(id)).disabled).toBe(false), pageTimeout)
  await vi.waitFor(() => expect(told()).toContain('Backup plan “switched” enabled'), pageTimeout)
  const run = (await row('switched')).getByRole('button', { name: 'Run now' })
  expect(run.getAttribute('aria-disabled')).toBe('true')
  await openPage(`${list}?name=switched`, as)
  await take('Disable')
  await vi.waitFor(async () => expect((await view(id)).disabled).toBe(true), pageTimeout)
  await openPage(`${list}?name=switched`, as)
  await deleteRow('switched')
  await isGone('switched')
  expect((await server.fetch(backupPlans.view, { as, params: { id } })).status).toBe(404)
})
