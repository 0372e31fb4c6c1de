import { GiB } from '@mainstay/contract/core/bytes'
import { diskKind, type Disk } from '@mainstay/contract/infrastructure/disks'
import { nodeInterfaceKind, type NodeInterface } from '@mainstay/contract/infrastructure/interfaces'
import { nodeRegistration } from '@mainstay/contract/infrastructure/node-registration'
import { nodes } from '@mainstay/contract/infrastructure/nodes'
import { fireEvent, screen, within } from '@testing-library/react'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { dialog, enter, expectAddress, field, openPage, press, server, withPages } from '../../../testing/pages'
import { pressAndLoad } from '../../../testing/press-and-load'
import { pageTimeout } from '../../../testing/page-timeout'
import { far, putFar, removeFar } from '../../../testing/far-node'

const long = { timeout: 180_000 }
const as = 'superuser'
withPages()
// preloaded, because loading them can take longer than a wait on a busy host
beforeAll(() =>
  Promise.all([
    import('./page/NodePage'),
    import('./page/NodeOverview'),
    import('./registration/AddNode'),
    import('./maintenance/MaintenancePage'),
  ]),
)
afterEach(removeFar)

const openMenu = async (name: string) =>
  pressAndLoad(await screen.findByRole('button', { name: `Actions for ${name}` }, pageTimeout))
const thisHost = async () => (await server.call(nodes.list, { as })).data.find(({ link }) => link.by === 'local')!

it('creates a registration command with a validity of 1 to 168 hours, and shows it to copy', long, async () => {
  await openPage('/nodes/add', as)
  await screen.findByText('No command yet. Create one to register a host.', {}, pageTimeout)
  await enter(/^Validity/, '200')
  expect((await field(/^Validity/)).value).toBe('168')
  await press('Create command')
  const command = await screen.findByRole('region', { name: 'Registration command' }, pageTimeout)
  const { command: known, expires_at } = await server.call(nodeRegistration.showToken, { as, body: {} })
  // the address in the command is that of the request
  const withoutHost = (text: string) => text.replaceAll(/http:\/\/[^/]+/g, '')
  expect(withoutHost(command.textContent)).toBe(withoutHost(known!))
  expect(Date.parse(expires_at!) - Date.now()).toBeGreaterThan(167 * 3_600_000)
  screen.getByText(/^Valid once, until /)
  // the test server has no TLS
  screen.getByText(/^The command fetches its script without encryption/)
  screen.getByText('Waiting for the host')
  // one in the title, and one below the command
  fireEvent.click(screen.getAllByRole('button', { name: 'Close' }).at(-1)!)
  await expectAddress('/nodes')
})

it('deletes a node that is offline or unassigned, and says why it cannot delete others [CA-203]', long, async () => {
  await putFar()
  await openPage(`/nodes/${far.id}`, as)
  await openMenu('node-2')
  fireEvent.click(await screen.findByRole('menuitem', { name: /^Unavailable actions/ }, pageTimeout))
  await screen.findByText(/^The node belongs to the cluster\. Release it first/, {}, pageTimeout)

  await putFar({ is_assigned: false, is_online: false })
  await openPage(`/nodes/${far.id}`, as)
  await openMenu('node-2')
  fireEvent.click(await screen.findByRole('menuitem', { name: /^Delete/ }, pageTimeout))
  const question = within(await screen.findByRole('alertdialog', { name: 'Delete node “node-2”?' }, pageTimeout))
  question.getByText(/^The host cannot be reached, so the key of this installation stays on it/)
  fireEvent.click(question.getByRole('button', { name: 'Delete node' }))
  await expectAddress('/nodes')
  await vi.waitFor(async () => {
    expect((await server.fetch(nodes.view, { as, params: { id: far.id } })).status).toBe(404)
  }, pageTimeout)
})

it('says why a node cannot join when there is no cluster [ER-016]', long, async () => {
  const { storage, 'object-storage': objects } = server.tools.areas
  const engines = [storage.engine, objects.engine]
  Object.assign(storage, { engine: null })
  Object.assign(objects, { engine: null })
  try {
    await putFar({ is_assigned: false })
    await openPage(`/nodes/${far.id}`, as)
    await screen.findByText(/^No cluster available/, {}, pageTimeout)
  } finally {
    Object.assign(storage, { engine: engines[0] })
    Object.assign(objects, { engine: engines[1] })
  }
  await openPage(`/nodes/${far.id}`, as)
  await screen.findByText(/^This engine runs on one host, and node-2 cannot be added to it/, {}, pageTimeout)
})

it('checks each service before maintenance, lets its mode be chosen, and returns the node', long, async () => {
  const host = await thisHost()
  await openPage(`/nodes/${host.id}`, as)
  await openMenu(host.host)
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Enter maintenance' }, pageTimeout))
  const asked = await dialog(`Enter maintenance: ${host.host}`)
  const checks = within(await asked.findByRole('table', { name: 'Checks' }, pageTimeout))
  checks.getByText('No virtual machines are running on this host')
  checks.getByText('The console and the API do not respond while this host is off')
  fireEvent.click(asked.getByRole('button', { name: 'Enter maintenance' }))
  await vi.waitFor(async () => expect((await thisHost()).status).toBe('maintenance'), pageTimeout)

  await openPage(`/nodes/${host.id}/maintenance`, as)
  const leaving = await dialog(`Leave maintenance: ${host.host}`)
  const leave = leaving.getByRole('button', { name: 'Leave maintenance' })
  await vi.waitFor(() => expect(leave.getAttribute('disabled')).toBeNull(), pageTimeout)
  fireEvent.click(leave)
  await vi.waitFor(async () => expect((await thisHost()).maintenance).toBeNull(), pageTimeout)
})

it(
  'lists the disks of a node with health, temperature and use, and its interfaces with their neighbors',
  long,
  async () => {
    await putFar()
    const disk: Disk = {
      ...{ id: 'disk-1', node_id: far.id, device: 'sda', role: 'system', type: 'ssd', physical_size: 480 * GiB },
      space: { used: 120 * GiB, size: 480 * GiB },
      ...{ model: 'SAMSUNG MZ7', serial_number: 'S4K-77120', lun_id: null, service_id: null, service_status: null },
      service_params: { tier: null, journal_type: null, journal_disk_id: null, journal_tier: null },
      ...{ smart_status: 'failed', disk_status: 'ok', temperature: 41, zoned: false, nvme: false, friezed: false },
      ...{ holders: ['/', '/boot'], issues: ['smart_failed'] },
    }
    const port: NodeInterface = {
      ...{ id: 'if-1', node_id: far.id, name: 'eno1', type: 'ethernet', mac: '52:54:00:00:00:01', state: 'up' },
      ...{ mtu: 9000, speed: 25_000, duplex: 'full', ipv4: ['10.7.1.12/24'], ipv6: [], gw4: '10.7.1.1', gw6: null },
      ...{ tag: null, ifaces: [], bond_type: null, neighbor: { system: 'switch-1', port: 'Ethernet7' } },
      ...{ status: 'ok', roles_set: null },
    }
    await server.tools.inventory.transaction(async (records) => {
      await records.put(diskKind.name, disk)
      await records.put(nodeInterfaceKind.name, port)
    })
    await openPage(`/nodes/${far.id}/disks`, as)
    const disks = within(await screen.findByRole('table', { name: 'Disks' }, pageTimeout))
    for (const text of ['sda', 'SAMSUNG MZ7', 'System', 'Failed', '41°C', '25%', '/, /boot', 'S4K-77120'])
      disks.getByText(text)
    await openPage(`/nodes/${far.id}/network`, as)
    const interfaces = within(await screen.findByRole('table', { name: 'Network interfaces' }, pageTimeout))
    for (const text of ['eno1', 'Up', '25 Gb/s', '10.7.1.12/24', '10.7.1.1', 'switch-1, port Ethernet7'])
      interfaces.getByText(text)
  },
)

it('offers nothing that changes nodes to users who may only read them', long, async () => {
  await putFar({ is_assigned: false })
  await openPage(`/nodes/${far.id}`, 'viewer')
  await screen.findByRole('heading', { level: 1, name: 'node-2' }, pageTimeout)
  expect(screen.queryByRole('button', { name: /^Actions/ })).toBeNull()
  await openPage('/nodes', 'viewer')
  await screen.findByRole('row', { name: 'node-2' }, pageTimeout)
  expect(screen.queryByRole('link', { name: 'Add node' })).toBeNull()
})
