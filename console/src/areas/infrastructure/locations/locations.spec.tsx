import { GiB } from '@mainstay/contract/core/bytes'
import { locations, type Location } from '@mainstay/contract/infrastructure/locations'
import { nodes, type Node } from '@mainstay/contract/infrastructure/nodes'
import { volumes } from '@mainstay/contract/storage/volumes'
import { openCeph } from '@mainstay/engines/ceph/ceph'
import { recordedCeph, threeHosts } from '@mainstay/engines/ceph/testing/recorded-ceph'
import { fireEvent, screen, within } from '@testing-library/react'
import { beforeAll, expect, it, vi } from 'vitest'
import { choose, confirmDialog, dialog, openPage, press, server, type, withPages } from '../../../testing/pages'
import { pageTimeout } from '../../../testing/page-timeout'
import { pressAndLoad } from '../../../testing/press-and-load'

const long = { timeout: 180_000 }
const as = 'superuser'
const address = '/infrastructure/locations'
withPages()
// preload the pages, because loading them on a busy host can take longer than a test waits
beforeAll(() => Promise.all([import('./LocationsPage'), import('../../../patterns/ActionMenu')]))

const tree = () => server.call(locations.tree, { as })
const named = async (name: string) => (await tree()).locations.find((one) => one.name === name)
const table = async () => within(await screen.findByRole('table', { name: 'Rooms, rows and racks' }, pageTimeout))
const rowOf = async (name: string | RegExp) => within(await (await table()).findByRole('row', { name }, pageTimeout))
/** Opens the menu of a row and chooses an action. */
async function act(name: string, action: string | RegExp) {
  await pressAndLoad(await screen.findByRole('button', { name: `Actions for ${name}` }, pageTimeout))
  fireEvent.click(await screen.findByRole('menuitem', { name: action }, pageTimeout))
}
async function send(title: string, label: RegExp, value: string, verb: string) {
  const form = await dialog(title)
  type(form, label, value)
  fireEvent.click(form.getByRole('button', { name: verb }))
  await vi.waitFor(() => expect(screen.queryByRole('dialog', { name: title })).toBeNull(), pageTimeout)
}
async function addNode(host: string): Promise<Node> {
  const [here] = (await server.call(nodes.list, { as })).data
  const node = { ...here!, id: `id-of-${host}`, host, is_primary: false, is_online: false }
  await server.tools.inventory.transaction((records) => records.put('node', node))
  return node
}
const until = (check: () => Promise<void>) => vi.waitFor(check, pageTimeout)

it(
  'adds, renames, moves and deletes rooms, rows and racks, and assigns nodes to a rack ' +
    '[UI-041, EN-059, CA-226, CA-228, CA-229, CA-230, CA-231, CA-232, CA-233]',
  long,
  async () => {
    const node = await addNode('node-2')
    await openPage(address, as)
    await rowOf(/Default room/)
    expect((await rowOf(/^node-2 node/)).getByText('Offline')).toBeTruthy()

    await press('Add room')
    await send('Add room', /^Name/, 'Hamburg', 'Add room')
    await rowOf(/Hamburg room/)
    await act('Hamburg', 'Add rows')
    await send('Add rows to Hamburg', /^Names/, 'Row A\nRow B', 'Add rows')
    await rowOf(/Row B row/)
    await act('Row A', 'Add racks')
    await send('Add racks to Row A', /^Names/, 'A1\nA2', 'Add racks')
    await rowOf(/A2 rack/)

    await act('A1', 'Rename')
    await send('Rename A1', /^Name/, 'North', 'Rename')
    await rowOf(/North rack/)
    await act('North', 'Move')
    await choose(await dialog('Move North'), 'Row', 'Hamburg / Row B')
    fireEvent.click((await dialog('Move North')).getByRole('button', { name: 'Move' }))
    const rowB = (await named('Row B')) as Location
    await until(async () => expect(await named('North')).toMatchObject({ row_id: rowB.id, room_id: rowB.room_id }))

    await act('North', 'Assign nodes')
    const form = await dialog('Assign nodes to North')
    fireEvent.click(await form.findByRole('checkbox', { name: /^node-2/ }, pageTimeout))
    fireEvent.click(form.getByRole('button', { name: 'Assign nodes' }))
    const north = (await named('North')) as Location
    const rackOf = async () => (await server.call(nodes.view, { as, params: { id: node.id } })).rackId
    await until(async () => expect(await rackOf()).toBe(north.id))
    await (await rowOf(/North rack/)).findByText('0 of 1 online', {}, pageTimeout)

    await act('A2', 'Delete')
    await confirmDialog()
    await until(async () => expect(await named('A2')).toBeUndefined())
  },
)

it('shows why a location cannot be moved or deleted, and shows name errors on the name field', long, async () => {
  await openPage(address, as)
  await pressAndLoad(await screen.findByRole('button', { name: 'Actions for Hamburg' }, pageTimeout))
  // Delete is listed directly in the menu, even while it is disabled
  await screen.findByRole('menuitem', { name: /^Delete/ }, pageTimeout)
  await screen.findByText('The location is not empty. Move or delete its contents first.', {}, pageTimeout)
  fireEvent.keyDown(screen.getByRole('menu'), { key: 'Escape' })
  await press('Add room')
  const form = await dialog('Add room')
  type(form, /^Name/, 'hamburg')
  fireEvent.click(form.getByRole('button', { name: 'Add room' }))
  await form.findByText('Another location at this level already has the name “hamburg”', {}, pageTimeout)
})

it(
  'shows how many rooms, rows, racks, nodes and disks hold data, by the levels room 4, row 3, rack 2, host 1 and disk 0 ' +
    '[CO-063, CA-227, CA-032]',
  long,
  async () => {
    await server.call(volumes.create, { as: 'project-member', body: { name: 'data', size: GiB } })
    const { levels } = await server.call(locations.configuration, { as })
    expect(levels.map(({ domain, number }) => [domain, number])).toEqual([
      ['room', 4],
      ['row', 3],
      ['rack', 2],
      ['host', 1],
      ['disk', 0],
    ])
    await openPage(address, as)
    const holding = within(await screen.findByRole('table', { name: 'Number of locations with data' }, pageTimeout))
    const cells = holding
      .getAllByRole('row')
      .slice(1)
      .map((row) =>
        within(row)
          .getAllByRole('cell')
          .map((cell) => cell.textContent),
      )
    expect(cells).toEqual(['Room', 'Row', 'Rack', 'Node', 'Disk'].map((level) => [level, '1']))
    // the names of the levels appear in the table and in the worst-case panel
    for (const name of ['Room', 'Row', 'Rack', 'Node']) {
      await screen.findByRole('radio', { name }, pageTimeout)
      const level = new RegExp(` ${name.toLowerCase()}`)
      expect((await (await table()).findAllByRole('row', { name: level }, pageTimeout)).length).toBeGreaterThan(0)
    }
  },
)

it(
  'shows what keeps working if the most critical location or node of a level fails, and what would help',
  long,
  async () => {
    await server.call(volumes.create, { as: 'project-member', body: { name: 'unprotected', size: GiB } })
    await openPage(address, as)
    await screen.findByText('Worst case: Default', {}, pageTimeout)
    expect((await rowOf(/Default rack/)).getByText(/^Interrupts/)).toBeTruthy()
    fireEvent.click(screen.getByRole('radio', { name: 'Node' }))
    const [here] = (await server.call(nodes.list, { as, query: { is_online: 'true' } })).data
    await screen.findByText(`Worst case: ${here!.host}`, {}, pageTimeout)
    // nodes link to their pages
    const link = (await rowOf(new RegExp(`^${here!.host} node`))).getByRole('link', { name: here!.host })
    expect(link.getAttribute('href')).toMatch(new RegExp(`/nodes/${here!.id}$`))

    const impact = within(screen.getByRole('table', { name: 'Impact of a single failure' }))
    const database = within(impact.getByRole('row', { name: /^Database/ }))
    database.getByText('Running virtual machines are not affected')
    const disk = within(impact.getByRole('row', { name: /^Disk with the data of this host/ }))
    disk.getByText(/^\d volumes? (is|are) lost|volumes? (has|have) no recovery point/)
    const help = disk.getByRole('link', { name: /^Create recovery points of \d volumes?/ })
    expect(help.getAttribute('href')).toMatch(/compute\/backup-plans$/)
  },
)

it('shows viewers the tree without actions', long, async () => {
  await openPage(address, 'viewer')
  await rowOf(/Hamburg room/)
  expect(screen.queryByRole('button', { name: /^Actions for/ })).toBeNull()
  expect(screen.queryByRole('button', { name: 'Add room' })).toBeNull()
})

it('says how much data Ceph moves before nodes are moved, or why this is not known', long, async () => {
  const link = recordedCeph(threeHosts())
  const ceph = openCeph({ conf: '/etc/ceph/ceph.conf', keyring: null, user: 'client.admin' }, async () => link)
  await addNode('node1')
  const room = await server.call(locations.create, { as, params: { level: 'rooms' }, body: { name: 'Depot' } })
  const [row] = await server.call(locations.createRows, { as, params: { id: room.id }, body: { name: 'Line' } })
  await server.call(locations.createRacks, { as, params: { id: row!.id }, body: { name: 'D1' } })
  Object.assign(server.tools, { ceph })
  try {
    await openPage(address, as)
    await rowOf(/^node1 node/)
    await act('node1', 'Move')
    const form = await dialog('Move node1')
    expect(form.queryByText(/data/)).toBeNull()
    await choose(form, 'Rack', 'Depot / Line / D1')
    // osd.0 and osd.1 of the recorded host have 100 and 200 KiB
    await form.findByText(/^Ceph then moves about 300\sKiB to 900\sKiB of data between its disks/, {}, pageTimeout)
    await openPage(address, as)
    link.replies['osd tree'] = { status: 127, out: '', err: '' }
    await act('D1', 'Assign nodes')
    const nodesForm = await dialog('Assign nodes to D1')
    fireEvent.click(await nodesForm.findByRole('checkbox', { name: /^node1/ }, pageTimeout))
    await nodesForm.findByText(
      /^It is not known how much data is moved: .*apt-get install ceph-common/,
      {},
      pageTimeout,
    )
  } finally {
    Object.assign(server.tools, { ceph: null })
  }
})
