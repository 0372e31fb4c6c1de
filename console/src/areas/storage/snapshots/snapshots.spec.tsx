import { act, fireEvent, screen, within } from '@testing-library/react'
import { beforeAll, describe, expect, it, test, vi } from 'vitest'
import { images } from '@mainstay/contract/compute/images'
import { instances } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { volumeSnapshots, type VolumeSnapshot } from '@mainstay/contract/storage/volume-snapshots'
import { volumes } from '@mainstay/contract/storage/volumes'
import { confirmDialog, enter, expectAddress, openPage, press, server, told, withPages } from '../../../testing/pages'
import { pageTimeout } from '../../../testing/page-timeout'
import { pressAndLoad } from '../../../testing/press-and-load'
import { proposedName } from './snapshot-form'

const long = { timeout: 120_000 }
const as = 'project-member'
withPages()
// preloads lazy modules before the tests start
beforeAll(async () => {
  await Promise.all([import('../../../patterns/ActionMenu'), import('./SnapshotsTab'), import('../volumes/VolumePage')])
}, 180_000)

const viewVolume = (id: string) => server.call(volumes.view, { as, params: { id } })
async function volume(name: string, size = GiB): Promise<string> {
  const { id } = await server.call(volumes.create, { as, body: { name, size } })
  await vi.waitFor(async () => expect((await viewVolume(id)).status).toBe('available'), pageTimeout)
  return id
}
const view = (id: string) => server.call(volumeSnapshots.view, { as, params: { id } })
const isAvailable = (id: string) =>
  vi.waitFor(async () => expect((await view(id)).status).toBe('available'), pageTimeout)
async function snapshot(volume_id: string, name: string): Promise<string> {
  const { id } = await server.call(volumeSnapshots.create, { as, body: { volume_id, name } })
  await isAvailable(id)
  // a detached volume is busy until its snapshot is complete
  await vi.waitFor(async () => expect((await viewVolume(volume_id)).status).not.toBe('maintenance'), pageTimeout)
  return id
}
const namesOf = async (volume_id: string) =>
  (await server.call(volumeSnapshots.list, { as, query: { volume_id } })).data.map(({ name }) => name)
const tabOf = (volumeId: string) => `/compute/volumes/${volumeId}/snapshots`
const row = async (name: string) => within(await screen.findByRole('row', { name }, pageTimeout))

async function openMenu(name: string) {
  await pressAndLoad(await (await row(name)).findByRole('button', { name: `Actions for ${name}` }))
  return screen.findByRole('menu', {}, pageTimeout)
}
/** Chooses an enabled action from the menu of a row. */
async function take(name: string, action: string) {
  await openMenu(name)
  fireEvent.click(await screen.findByRole('menuitem', { name: action }, pageTimeout))
}

describe('proposed names', () => {
  const at = new Date(2026, 10, 2, 9, 46)
  test.each([
    ['data', 'data-20261102-0946'],
    ['x'.repeat(255), `${'x'.repeat(241)}-20261102-0946`],
  ])('are the name of the volume and the local time', (name, proposed) => {
    expect(proposedName(name, at)).toBe(proposed)
  })
})

it('creates a snapshot with a proposed name, and shows it on the line and in the table', long, async () => {
  const id = await volume('captured', 2 * GiB)
  await openPage(tabOf(id), as)
  await screen.findByText('No snapshots of this volume.', {}, pageTimeout)
  const name = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Name' }, pageTimeout)
  expect(name.value).toMatch(/^captured-\d{8}-\d{4}$/)
  const meter = await screen.findByRole('meter', { name: 'Storage' }, pageTimeout)
  expect(meter.getAttribute('aria-valuetext')).toContain('+ 2\u00a0GiB')
  await enter('Name', 'before-update')
  await enter(/^Description/, 'schema 41')
  await press('Create snapshot')
  await vi.waitFor(async () => expect(await namesOf(id)).toEqual(['before-update']), pageTimeout)
  const shown = await row('before-update')
  expect(shown.getByText('schema 41')).toBeTruthy()
  expect(shown.getByText('by you')).toBeTruthy()
  const line = within(screen.getByRole('group', { name: 'From the oldest snapshot to now' }))
  expect(line.getAllByRole('listitem').map((it) => it.firstElementChild!.textContent)).toEqual(['before-update', 'Now'])
  expect(screen.getByRole('tab', { name: /^Snapshots ?1$/ })).toBeTruthy()
  // the form proposes the next name
  await vi.waitFor(() => {
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' }).value).toMatch(/^captured-/)
  }, pageTimeout)
})

it('edits the name and the description; denies access without permission [RT-070]', long, async () => {
  const volumeId = await volume('edited')
  const id = await snapshot(volumeId, 'first-name')
  await openPage(`${tabOf(volumeId)}/${id}/edit`, 'viewer')
  await expectAddress('/error403')
  await openPage(tabOf(volumeId), as)
  await take('first-name', 'Edit name and description')
  await expectAddress(`${tabOf(volumeId)}/${id}/edit`)
  const form = within(await screen.findByRole('dialog', { name: 'Edit snapshot “first-name”' }, pageTimeout))
  fireEvent.change(form.getByRole('textbox', { name: 'Name' }), { target: { value: 'second-name' } })
  fireEvent.click(form.getByRole('button', { name: 'Save snapshot' }))
  await expectAddress(tabOf(volumeId))
  expect(await view(id)).toMatchObject({ name: 'second-name', description: '' })
  expect(told()).toContain('Snapshot “second-name” saved')
})

it('creates an image from a snapshot; denies access without permission [RT-071] [CA-093]', long, async () => {
  const volumeId = await volume('golden-disk')
  const id = await snapshot(volumeId, 'golden')
  const path = `${tabOf(volumeId)}/${id}/createImage`
  await openPage(path, 'viewer')
  await expectAddress('/error403')
  await openPage(path, as)
  const form = within(await screen.findByRole('dialog', { name: 'Create image from snapshot “golden”' }, pageTimeout))
  const name = form.getByRole<HTMLInputElement>('textbox', { name: /^Image name/ })
  expect(name.value).toBe('golden')
  fireEvent.change(name, { target: { value: 'golden-image' } })
  fireEvent.click(form.getByRole('button', { name: 'Create image' }))
  await expectAddress(tabOf(volumeId))
  await vi.waitFor(async () => {
    const { data } = await server.call(images.list, { as, query: { name: 'exact:golden-image' } })
    expect(data[0]?.status).toBe('active')
  }, pageTimeout)
})

it('creates a volume from a snapshot; denies access without permission [RT-072]', long, async () => {
  const volumeId = await volume('original', 2 * GiB)
  const id = await snapshot(volumeId, 'copied')
  const path = `${tabOf(volumeId)}/${id}/createVolume`
  await openPage(path, 'viewer')
  await expectAddress('/error403')
  await openPage(path, as)
  const form = within(await screen.findByRole('dialog', { name: 'Create volume from snapshot “copied”' }, pageTimeout))
  expect(form.getByRole<HTMLInputElement>('textbox', { name: 'Name' }).value).toBe('copied')
  expect(form.getByRole<HTMLInputElement>('textbox', { name: /Size/ }).value).toBe('2')
  fireEvent.click(form.getByRole('button', { name: 'Create volume' }))
  await expectAddress(tabOf(volumeId))
  const { data } = await server.call(volumes.list, { as, query: { name: 'exact:copied' } })
  expect(data).toMatchObject([{ size: 2 * GiB }])
})

it('offers snapshots as the source of a new volume', { ...long, tags: 'all' }, async () => {
  const volumeId = await volume('source-disk', 3 * GiB)
  await snapshot(volumeId, 'source')
  await openPage('/compute/volumes/add', as)
  fireEvent.click(await screen.findByRole('radio', { name: /^Snapshot/ }, pageTimeout))
  const box = await screen.findByRole('combobox', { name: 'Snapshot' }, pageTimeout)
  act(() => box.focus())
  fireEvent.change(box, { target: { value: 'source' } })
  const option = () => screen.getByRole('option', { name: /^source/ })
  await vi.waitFor(() => {
    expect(option().getAttribute('aria-disabled')).not.toBe('true')
    expect(option().textContent).toContain('source-disk')
  }, pageTimeout)
  fireEvent.click(option())
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' }).value).toBe('source')
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: /Size/ }).value).toBe('3')
  await enter('Name', 'from-source')
  await press('Create volume')
  await expectAddress('/compute/volumes')
  const { data } = await server.call(volumes.list, { as, query: { name: 'exact:from-source' } })
  expect(data).toMatchObject([{ size: 3 * GiB }])
})

it(
  'reverts a volume to its newest snapshot, and explains why it cannot be reverted to an older one [CA-091]',
  long,
  async () => {
    const volumeId = await volume('reverted')
    await snapshot(volumeId, 'older')
    const newest = await snapshot(volumeId, 'newest')
    await openPage(tabOf(volumeId), as)
    const menu = within(await openMenu('older'))
    fireEvent.click(await menu.findByRole('menuitem', { name: /^Unavailable actions/ }, pageTimeout))
    await screen.findByText(/newest snapshot, which is “newest”/, {}, pageTimeout)

    await openPage(tabOf(volumeId), as)
    await take('newest', 'Revert volume')
    const question = within(
      await screen.findByRole('alertdialog', { name: 'Revert “reverted” to snapshot “newest”?' }, pageTimeout),
    )
    question.getByText(/^Everything written to the volume after .* will be lost\. The snapshot is kept\.$/)
    await question.findByText('This is the newest snapshot', { exact: false }, pageTimeout)
    await question.findByText('The volume is not attached', { exact: false }, pageTimeout)
    const asked = vi.spyOn(server.tools.ports.storage.volumeSnapshots, 'revert')
    fireEvent.click(question.getByRole('button', { name: 'Revert volume' }))
    await vi.waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull(), pageTimeout)
    expect(asked.mock.calls.map(([, id]) => id)).toEqual([newest])
    asked.mockRestore()
    await isAvailable(newest)
  },
)

it(
  'does not revert a volume while its virtual machine runs, and offers to shut it down',
  { ...long, tags: 'all' },
  async () => {
    const source = { source: 'blank' as const, size: GiB, boot_index: 0 }
    const body = { name: 'uses-a-disk', flavor: 's1.nano', networks: [], volumes: [source] }
    const { id: vm } = await server.call(instances.create, { as, body })
    const instance = () => server.call(instances.view, { as, params: { id: vm } })
    await vi.waitFor(async () => {
      expect(await instance()).toMatchObject({ status: 'ACTIVE', task_state: null })
    }, pageTimeout)
    const disk = (await instance()).volumes[0]!.id
    await snapshot(disk, 'while-running')
    await openPage(tabOf(disk), as)
    await screen.findByText(/will be like a disk after a power failure/, {}, pageTimeout)
    await take('while-running', 'Revert volume')
    const question = within(await screen.findByRole('alertdialog', {}, pageTimeout))
    await question.findByText('Shut down the virtual machine, or detach the volume.', {}, pageTimeout)
    expect(question.getByRole('button', { name: 'Revert volume' }).getAttribute('aria-disabled')).toBe('true')
    fireEvent.click(question.getByRole('button', { name: 'Shut down “uses-a-disk”' }))
    await vi.waitFor(async () => {
      const { status, task_state } = await instance()
      expect(status === 'SHUTOFF' || task_state === 'powering-off').toBe(true)
    }, pageTimeout)
  },
)

it('offers to reset the state to operators only [CA-092]', long, async () => {
  const volumeId = await volume('reset')
  const id = await snapshot(volumeId, 'stuck')
  await server.tools.inventory.transaction(async (tx) => {
    const stored = (await tx.lock<VolumeSnapshot>('volume_snapshot', id))!
    await tx.put('volume_snapshot', { ...stored, status: 'error_deleting', fault: 'The disk is damaged' })
  })
  await openPage(tabOf(volumeId), as)
  await openMenu('stuck')
  await screen.findByRole('menuitem', { name: /^Delete/ }, pageTimeout)
  expect(screen.queryByRole('menuitem', { name: /Reset state/ })).toBeNull()
  await openPage(tabOf(volumeId), 'superuser')
  expect((await row('stuck')).getByText('The disk is damaged')).toBeTruthy()
  // operators work in all projects, so the page asks them to switch to a project first
  await screen.findByText('To create snapshots, switch to the project of this volume.', {}, pageTimeout)
  await take('stuck', 'Reset state')
  await confirmDialog()
  expect(await view(id)).toMatchObject({ status: 'available', fault: null })
})

it('lists, renames and deletes snapshots, one or many [CA-090]', long, async () => {
  const volumeId = await volume('listed')
  for (const name of ['one', 'two', 'three']) await snapshot(volumeId, name)
  await openPage('/compute/volume-snapshots?name=one', as)
  const shown = await row('one')
  expect(shown.getByRole('link', { name: 'one' }).getAttribute('href')).toBe(tabOf(volumeId))
  await shown.findByRole('link', { name: 'listed' }, pageTimeout)
  await openPage(tabOf(volumeId), as)
  await take('two', 'Delete')
  const question = within(await screen.findByRole('alertdialog', { name: 'Delete snapshot “two”?' }, pageTimeout))
  question.getByText(/The volume is not changed\./)
  await confirmDialog()
  await vi.waitFor(async () => expect(await namesOf(volumeId)).toEqual(['three', 'one']), pageTimeout)

  await openPage(tabOf(volumeId), as)
  for (const name of ['one', 'three']) fireEvent.click((await row(name)).getByRole('checkbox'))
  await press(/^Delete 2/)
  const many = within(await screen.findByRole('alertdialog', { name: 'Delete 2 snapshots?' }, pageTimeout))
  // the button is busy until the server has checked the snapshots
  fireEvent.click(await many.findByRole('button', { name: 'Delete 2 snapshots' }, pageTimeout))
  await vi.waitFor(async () => expect(await namesOf(volumeId)).toEqual([]), pageTimeout)
})

it('redirects from the ID of a snapshot to the snapshots of its volume', { ...long, tags: 'all' }, async () => {
  const volumeId = await volume('found')
  const id = await snapshot(volumeId, 'linked')
  await openPage(`/compute/volume-snapshots/${id}`, as)
  await expectAddress(tabOf(volumeId))
  await row('linked')
})

it('deletes a volume with snapshots only together with them', { ...long, tags: 'all' }, async () => {
  const volumeId = await volume('with-snapshots')
  await snapshot(volumeId, 'first')
  await snapshot(volumeId, 'second')
  await openPage('/compute/volumes?name=with-snapshots', as)
  await take('with-snapshots', 'Delete')
  const question = within(
    await screen.findByRole('alertdialog', { name: 'Delete volume “with-snapshots”?' }, pageTimeout),
  )
  question.getByText('The volume has 2 snapshots.')
  const verb = question.getByRole('button', { name: 'Delete volume' })
  expect(verb.getAttribute('aria-disabled')).toBe('true')
  const box = question.getByRole('checkbox', { name: 'Delete its 2 snapshots too' })
  fireEvent.click(box)
  await vi.waitFor(() => {
    const button = question.getByRole('button', { name: 'Delete volume' })
    expect(button.getAttribute('aria-disabled')).not.toBe('true')
  }, pageTimeout)
  fireEvent.click(question.getByRole('button', { name: 'Delete volume' }))
  await vi.waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull(), pageTimeout)
  expect((await server.fetch(volumes.view, { as, params: { id: volumeId } })).status).toBe(404)
  expect(await namesOf(volumeId)).toEqual([])
})
