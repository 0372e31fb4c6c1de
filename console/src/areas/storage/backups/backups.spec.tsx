import { act, fireEvent, screen, within } from '@testing-library/react'
import { beforeAll, describe, expect, it, test, vi } from 'vitest'
import { computeCluster } from '@mainstay/contract/compute/compute-cluster'
import { instances } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { volumeBackups, type VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { volumes } from '@mainstay/contract/storage/volumes'
import { writeRecoveryPoint } from '../../../../../server/src/testing/storage/recovery-point'
import { confirmDialog, enter, expectAddress, openPage, press, server, told, withPages } from '../../../testing/pages'
import { pageTimeout } from '../../../testing/page-timeout'
import { pressAndLoad } from '../../../testing/press-and-load'
import { restoreDraftOf, startOfRestore } from './backup-form'
import { sinceFilter } from './period-filter'

const long = { timeout: 120_000 }
const as = 'project-member'
const place = '/compute/recovery-points'
withPages()
// preloads lazy modules before the tests start
beforeAll(async () => {
  await Promise.all([import('../../../patterns/ActionMenu'), import('./BackupListPage'), import('./point/BackupPage')])
}, 180_000)

async function volume(name: string, size = GiB): Promise<string> {
  const { id } = await server.call(volumes.create, { as, body: { name, size } })
  await vi.waitFor(async () => {
    expect((await server.call(volumes.view, { as, params: { id } })).status).toBe('available')
  }, pageTimeout)
  return id
}

const point = (name: string, part: Partial<VolumeBackup> = {}) =>
  writeRecoveryPoint(server, { name, volume_name: `${name}-disk`, ...part })
const pointsNamed = async (name: string) =>
  (await server.call(volumeBackups.list, { as, query: { name: `exact:${name}` } })).data
const row = async (name: string) => within(await screen.findByRole('row', { name }, pageTimeout))

async function openMenu(name: string) {
  await pressAndLoad(await screen.findByRole('button', { name: `Actions for ${name}` }, pageTimeout))
  return within(await screen.findByRole('menu', {}, pageTimeout))
}

describe('the filter for the time', () => {
  test.each([
    ['2026-11-20', 'gte:2026-11-20'],
    ['exact:2026-11-20', 'gte:2026-11-20'],
    ['gte:2026-11-20', 'gte:2026-11-20'],
    ['not:2026-11-20', 'not:2026-11-20'],
    ['', null],
    [null, null],
  ])('turns %s into %s', (typed, filter) => {
    expect(sinceFilter(typed)).toBe(filter)
  })
})

describe('the restore form', () => {
  const original = { name: 'nightly', volume_name: 'data', storage_policy_name: 'default' }

  test.each([
    ['data', 'data-restored'],
    ['x'.repeat(255), `${'x'.repeat(246)}-restored`],
    ['1f0c-of-a-cloud', 'nightly-restored'],
  ])('proposes a valid name for volume %s', (volume_name, name) => {
    expect(startOfRestore({ ...original, volume_name }).name).toBe(name)
  })

  it('sends a storage policy only if it is not that of the original volume', () => {
    expect(restoreDraftOf({ name: 'copy', storage_policy: 'default' }, original)).toEqual({ name: 'copy' })
    expect(restoreDraftOf({ name: 'copy', storage_policy: null }, original)).toEqual({ name: 'copy' })
    expect(restoreDraftOf({ name: 'copy', storage_policy: 'fast' }, original)).toEqual({
      ...{ name: 'copy', storage_policy: 'fast' },
    })
  })
})

it(
  'lists recovery points with what is known about their files, and states why one cannot be deleted [RT-118] [UI-032]',
  long,
  async () => {
    const volumeId = await volume('kept-disk')
    const ofVolume = { volume_id: volumeId, volume_name: 'kept-disk' }
    const full = await point('full-point', {
      ...{ ...ofVolume, has_dependents: true, verified_at: '2026-11-21T08:20:00.000Z' },
      ...{ backup_plan_id: 'a-plan', backup_plan_name: 'every-night' },
    })
    await point('changes', { ...ofVolume, is_incremental: true, parent_id: full.id })
    await point('broken', { damaged_by: full.id })
    await point('last-state')
    await openPage(place, as)

    const shown = await row('full-point')
    expect(shown.getByText('Full')).toBeTruthy()
    expect(shown.getByText(/^Read back /)).toBeTruthy()
    expect(shown.getByText('every-night')).toBeTruthy()
    const link = await shown.findByRole('link', { name: 'kept-disk' }, pageTimeout)
    expect(link.getAttribute('href')).toBe(`/compute/volumes/${volumeId}`)
    const changes = await row('changes')
    for (const text of ['Incremental', 'Stored', 'Manual']) expect(changes.getByText(text), text).toBeTruthy()
    expect((await row('broken')).getByText('Damaged')).toBeTruthy()
    const last = await row('last-state')
    await last.findByText('deleted', { exact: false }, pageTimeout)
    expect(last.getByText('last-state-disk')).toBeTruthy()
    expect(last.queryByRole('link', { name: 'last-state-disk' })).toBeNull()

    await openMenu('full-point')
    await screen.findByText(/Later recovery points depend on this one/, {}, pageTimeout)
  },
)

it(
  'explains what a recovery point is while there are none, and offers no actions to viewers',
  { ...long, tags: 'all' },
  async () => {
    await openPage(`${place}?name=none-of-this-name`, as)
    await screen.findByText('No items match the filters.', {}, pageTimeout)
    await openPage(place, 'other-member')
    await screen.findByText(/^No recovery points yet\. A recovery point is the content of a volume/, {}, pageTimeout)
    await point('looked-at')
    await openPage(place, 'viewer')
    await row('looked-at')
    expect(screen.queryByRole('button', { name: 'Actions for looked-at' })).toBeNull()
    expect(screen.queryByRole('link', { name: 'Create recovery point' })).toBeNull()
  },
)

it('creates a recovery point with a proposed name; denies access without permission', long, async () => {
  await volume('to-back-up')
  await openPage(`${place}/add`, 'viewer')
  await expectAddress('/error403')
  await openPage(`${place}/add`, as)
  const box = await screen.findByRole('combobox', { name: 'Volume' }, pageTimeout)
  act(() => box.focus())
  fireEvent.change(box, { target: { value: 'to-back-up' } })
  const option = () => screen.getByRole('option', { name: /^to-back-up/ })
  await vi.waitFor(() => expect(option().getAttribute('aria-disabled')).not.toBe('true'), pageTimeout)
  fireEvent.click(option())
  const name = screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' })
  await vi.waitFor(() => expect(name.value).toMatch(/^to-back-up-\d{8}-\d{4}$/), pageTimeout)
  await enter('Name', 'before-update')
  fireEvent.click(screen.getByRole('checkbox', { name: /^Store the whole content/ }))
  const asked = vi.spyOn(server.tools.ports.storage.volumeBackups, 'create')
  await press('Create recovery point')
  await expectAddress(place)
  expect(asked.mock.calls.map(([, draft]) => draft)).toMatchObject([{ name: 'before-update', full: true }])
  asked.mockRestore()
  expect(await pointsNamed('before-update')).toMatchObject([{ volume_name: 'to-back-up', is_incremental: false }])
})

it('creates recovery points of all volumes of a virtual machine from its menu', { ...long, tags: 'all' }, async () => {
  const disk = { source: 'blank' as const, size: GiB }
  const body = { name: 'two-disks', flavor: 's1.nano', networks: [], volumes: [{ ...disk, boot_index: 0 }, disk] }
  const { id } = await server.call(instances.create, { as, body })
  await vi.waitFor(async () => {
    const instance = await server.call(instances.view, { as, params: { id } })
    expect(instance).toMatchObject({ status: 'ACTIVE', task_state: null })
  }, pageTimeout)
  await openPage('/compute/instances?name=two-disks', as)
  const menu = await openMenu('two-disks')
  fireEvent.click(await menu.findByRole('menuitem', { name: 'Create recovery points' }, pageTimeout))
  await expectAddress(`/compute/instances/${id}/recovery-points?name=two-disks`)
  const title = 'Create recovery points of virtual machine “two-disks”'
  const form = within(await screen.findByRole('dialog', { name: title }, pageTimeout))
  form.getByText(/^All volumes are captured at the same moment/)
  form.getByText(/^The virtual machine has 2 volumes/)
  fireEvent.change(form.getByRole('textbox', { name: 'Name' }), { target: { value: 'both' } })
  fireEvent.click(form.getByRole('button', { name: 'Create recovery points' }))
  await expectAddress(`/compute/instances/${id}?name=two-disks`)
  const points = await pointsNamed('both')
  expect(points.map(({ server_id }) => server_id)).toEqual([id, id])
  expect(new Set(points.map(({ instant_id }) => instant_id)).size).toBe(1)
})

it('restores to a new volume, and not while a requirement is not met', { ...long, tags: 'all' }, async () => {
  const { id } = await point('lost', { volume_name: 'orders' })
  const { volumeBackups: port } = server.tools.ports.storage
  const reason = 'The quota of the project is used up'
  const check = vi.spyOn(port, 'checkRestore').mockResolvedValue([
    { name: 'chain', ok: true, reason: null },
    { name: 'quota', ok: false, reason },
    { name: 'space', ok: null, reason: null },
  ])
  await openPage(`${place}/${id}/restore`, 'viewer')
  await expectAddress('/error403')
  await openPage(place, as)
  const menu = await openMenu('lost')
  fireEvent.click(await menu.findByRole('menuitem', { name: 'Restore' }, pageTimeout))
  await expectAddress(`${place}/${id}/restore/list`)
  const form = within(await screen.findByRole('dialog', { name: 'Restore recovery point “lost”' }, pageTimeout))
  form.getByText(/The original volume and the recovery point are not changed\.$/)
  await form.findByText(reason, {}, pageTimeout)
  form.getByText('Not known in this cloud')
  const verb = () => form.getByRole('button', { name: 'Restore to a new volume' })
  expect(verb().getAttribute('aria-disabled')).toBe('true')

  check.mockResolvedValue([{ name: 'chain', ok: true, reason: null }])
  fireEvent.click(form.getByRole('button', { name: 'Check again' }))
  await vi.waitFor(() => expect(verb().getAttribute('aria-disabled')).not.toBe('true'), pageTimeout)
  expect(form.getByRole<HTMLInputElement>('textbox', { name: 'Name' }).value).toBe('orders-restored')
  const restored_volume_id = crypto.randomUUID()
  const restore = vi
    .spyOn(port, 'restore')
    .mockImplementation(async () => ({ ...(await point('lost', { id, status: 'restoring' })), restored_volume_id }))
  fireEvent.click(verb())
  await expectAddress(place)
  expect(restore.mock.calls.map(([, ...given]) => given)).toEqual([[id, { name: 'orders-restored' }]])
  expect(told()).toContain('Volume “orders-restored” is being restored')
  check.mockRestore()
  restore.mockRestore()
})

it('shows which recovery points a restore reads, and which need this one [RT-119]', long, async () => {
  const ofVolume = { volume_id: crypto.randomUUID(), volume_name: 'chained' }
  const instant_id = crypto.randomUUID()
  const full = await point('chain-full', { ...ofVolume, has_dependents: true, stored_size: 3 * GiB })
  const middle = await point('chain-middle', {
    ...{ ...ofVolume, is_incremental: true, parent_id: full.id, has_dependents: true, instant_id },
    ...{ taken_at: '2026-11-21T02:00:00.000Z', verified_at: '2026-11-21T08:20:00.000Z' },
  })
  const last = await point('chain-last', {
    ...{ ...ofVolume, is_incremental: true, parent_id: middle.id, taken_at: '2026-11-22T02:00:00.000Z' },
  })
  const other = await point('chain-middle', { instant_id, volume_name: 'other-disk' })
  await openPage(`${place}/${middle.id}`, as)
  await screen.findByRole('heading', { name: 'chain-middle', level: 1 }, pageTimeout)
  const linksOf = async (list: string) =>
    within(await screen.findByRole('list', { name: list }, pageTimeout))
      .queryAllByRole('link')
      .map((link) => link.getAttribute('href'))
  expect(await linksOf('Read during a restore')).toEqual([`${place}/${full.id}`])
  expect(await linksOf('Recovery points that depend on this one')).toEqual([`${place}/${last.id}`])
  screen.getByText(/^A restore reads 2 recovery points: .*4\sGiB.* in total\.$/)
  screen.getByText(/^The stored files were read back on .* and are intact\.$/)
  const together = await screen.findByRole('link', { name: 'chain-middle, volume other-disk' }, pageTimeout)
  expect(together.getAttribute('href')).toBe(`${place}/${other.id}`)
  screen.getByText('As after a power failure. All volumes were captured at the same moment.')
})

it(
  'shows the last test restore, and starts one for recovery points of a virtual machine',
  { ...long, tags: 'all' },
  async () => {
    const at = '2026-11-21T08:20:00.000Z'
    const started = await point('tested', { restore_test: { at, result: 'started', reason: null }, server_id: 'gone' })
    await openPage(`${place}/${started.id}`, as)
    await screen.findByText(/Started in a test restore on /, {}, pageTimeout)
    screen.getByText('The virtual machine kept running. Nothing in it confirmed that its system came up.')
    fireEvent.click(await (await openMenu('tested')).findByRole('menuitem', { name: 'Test restore' }, pageTimeout))
    // the original is gone, so there is no flavor to use
    await vi.waitFor(
      () => expect(told()).toContain('The restore of recovery point “tested” could not be tested'),
      pageTimeout,
    )
    const confirmed = await point('confirmed', {
      ...{ restore_test: { at, result: 'confirmed', reason: null }, consistency: 'guest' },
    })
    await openPage(`${place}/${confirmed.id}`, as)
    await screen.findByText(/Came up in a test restore on /, {}, pageTimeout)
    screen.getByText('The guest agent answered, so the system of the virtual machine came up.')
    screen.getByText(/^A virtual machine was started from it on .*, and its system came up\.$/)
    screen.getByText('The guest agent had frozen the file systems, so all writes were complete.')
    const failed = await point('untested', { restore_test: { at, result: 'failed', reason: 'It stopped' } })
    await openPage(`${place}/${failed.id}`, as)
    await screen.findByText(/The test restore on .* failed/, {}, pageTimeout)
    screen.getByText('It stopped')
    screen.getByText('Doubtful')
    screen.getByText('The last test restore failed.')
    expect((await openMenu('untested')).queryByRole('menuitem', { name: 'Test restore' })).toBeNull()
  },
)

it('links to the damaged recovery point, and bars the restore', long, async () => {
  const ofVolume = { volume_id: crypto.randomUUID(), volume_name: 'damaged-disk' }
  const full = await point('damaged-full', { ...ofVolume, has_dependents: true })
  await point('damaged-full', { ...full, damaged_by: full.id })
  const { id } = await point('unreadable', {
    ...{ ...ofVolume, is_incremental: true, parent_id: full.id, damaged_by: full.id },
  })
  await openPage(`${place}/${id}`, as)
  const link = await screen.findByRole('link', { name: 'earlier recovery point' }, pageTimeout)
  expect(link.getAttribute('href')).toBe(`${place}/${full.id}`)
  expect(screen.getByRole('button', { name: 'Restore' }).getAttribute('aria-disabled')).toBe('true')
})

it('reads the stored files back if the engine supports it', long, async () => {
  const { id } = await point('to-verify')
  const verify = vi
    .spyOn(server.tools.ports.storage.volumeBackups, 'verify')
    .mockImplementation(async () => point('to-verify', { id, status: 'verifying' }))
  const { capabilities } = await server.call(computeCluster.view, { as })
  expect(capabilities.backup_verify).toBe(true)
  await openPage(`${place}/${id}`, as)
  await press('Verify')
  await vi.waitFor(() => expect(verify.mock.calls.map(([, asked]) => asked)).toEqual([id]), pageTimeout)
  verify.mockRestore()
})

it('deletes recovery points, one or many', { ...long, tags: 'all' }, async () => {
  const remove = vi.spyOn(server.tools.ports.storage.volumeBackups, 'delete').mockImplementation(async (_scope, id) => {
    const { data } = await server.call(volumeBackups.list, { as, query: { id } })
    await server.tools.inventory.transaction((tx) => tx.remove('volume_backup', id))
    return { ...data[0]!, status: 'deleting' }
  })
  for (const name of ['gone-one', 'gone-two', 'gone-three']) await point(name)
  await openPage(`${place}?name=gone`, as)
  const menu = await openMenu('gone-two')
  fireEvent.click(await menu.findByRole('menuitem', { name: 'Delete' }, pageTimeout))
  const question = within(
    await screen.findByRole('alertdialog', { name: 'Delete recovery point “gone-two”?' }, pageTimeout),
  )
  question.getByText(/The volume is not changed\./)
  await confirmDialog()
  await vi.waitFor(async () => expect(await pointsNamed('gone-two')).toEqual([]), pageTimeout)

  await openPage(`${place}?name=gone`, as)
  for (const name of ['gone-one', 'gone-three']) fireEvent.click((await row(name)).getByRole('checkbox'))
  await press(/^Delete 2/)
  const many = within(await screen.findByRole('alertdialog', { name: 'Delete 2 recovery points?' }, pageTimeout))
  // the button is busy until the server has checked the recovery points
  fireEvent.click(await many.findByRole('button', { name: 'Delete 2 recovery points' }, pageTimeout))
  await vi.waitFor(async () => {
    expect([...(await pointsNamed('gone-one')), ...(await pointsNamed('gone-three'))]).toEqual([])
  }, pageTimeout)
  remove.mockRestore()
})
