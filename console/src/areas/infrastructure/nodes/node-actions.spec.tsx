import { GiB } from '@mainstay/contract/core/bytes'
import { tasks } from '@mainstay/contract/core/tasks'
import { CLUSTER_ID } from '@mainstay/contract/infrastructure/clusters'
import { diskKind, type Disk } from '@mainstay/contract/infrastructure/disks'
import { nodeInterfaceKind, type NodeInterface } from '@mainstay/contract/infrastructure/interfaces'
import { nodeJoining } from '@mainstay/contract/infrastructure/node-joining'
import { nodeRegistration } from '@mainstay/contract/infrastructure/node-registration'
import { nodes } from '@mainstay/contract/infrastructure/nodes'
import { fireEvent, screen, within } from '@testing-library/react'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { changeRecord } from '../../../../../server/src/areas/infrastructure/nodes/node-record'
import { fakeHosts, HOST_KEY, hostFacts } from '../../../../../server/src/testing/fake-hosts'
import { dialog, enter, expectAddress, field, openPage, press, server, withPages } from '../../../testing/pages'
import { pressAndLoad } from '../../../testing/press-and-load'
import { pageTimeout } from '../../../testing/page-timeout'
import { far, putFar, removeFar } from '../../../testing/far-node'

const long = { timeout: 180_000 }
const as = 'superuser'
withPages()
// the node watch would overwrite the test's nodes with what the engine and the hosts report
beforeAll(() => server.tools.nodeWatch.close())
// preload the pages, because loading them on a busy host can take longer than a test waits
beforeAll(() =>
  Promise.all([
    import('./page/NodePage'),
    import('./page/NodeOverview'),
    import('./registration/AddNode'),
    import('./maintenance/MaintenancePage'),
    import('./registration/ReinstallPage'),
    import('../../monitoring/tasks/TaskPage'),
  ]),
)
afterEach(removeFar)

const openMenu = async (name: string) =>
  pressAndLoad(await screen.findByRole('button', { name: `Actions for ${name}` }, pageTimeout))
const thisHost = async () => (await server.call(nodes.list, { as })).data.find(({ link }) => link.by === 'local')!

it('creates a registration command that is valid for 1 to 168 hours, and lets the user copy it', long, async () => {
  await openPage('/nodes/add', as)
  await screen.findByText('No command yet. Create a command to register a host.', {}, pageTimeout)
  await enter(/^Validity/, '200')
  expect((await field(/^Validity/)).value).toBe('168')
  await press('Create command')
  const command = await screen.findByRole('region', { name: 'Registration command' }, pageTimeout)
  const { command: known, expires_at } = await server.call(nodeRegistration.showToken, { as, body: {} })
  // the command contains the address that the request was sent to
  const withoutHost = (text: string) => text.replaceAll(/http:\/\/[^/]+/g, '')
  expect(withoutHost(command.textContent)).toBe(withoutHost(known!))
  expect(Date.parse(expires_at!) - Date.now()).toBeGreaterThan(167 * 3_600_000)
  screen.getByText(/^Can be used once, until /)
  // the test server has no TLS
  screen.getByText(/^The command downloads its script over an unencrypted connection/)
  screen.getByText('Waiting for the host')
  // one Close button is in the title bar, and one is below the command
  fireEvent.click(screen.getAllByRole('button', { name: 'Close' }).at(-1)!)
  await expectAddress('/nodes')
})

/** Returns the last task with this name for a node once it has ended. */
const ended = (name: string, subject_id: string) =>
  vi.waitFor(async () => {
    const [task] = (await server.call(tasks.list, { as, query: { name, subject_id } })).data
    expect(task?.state).toBe('success')
    return task!
  }, pageTimeout)

it.each([
  ['removes its key from a host that answers', 'up', 'The key of this installation is removed from the host.'],
  [
    'shows the command that removes its key from a host that is offline',
    'down',
    'The host cannot be reached, so the key of this installation stays on the host.',
  ],
] as const)('deletes a node, and %s [CA-203]', long, async (_, state, warning) => {
  const hosts = fakeHosts()
  const host = Object.assign(hosts.add('10.7.1.12', hostFacts('node-2')), { state })
  const { hosts: before } = server.tools
  Object.assign(server.tools, { hosts })
  try {
    await putFar({ is_assigned: false, is_online: state === 'up' })
    await server.tools.inventory.transaction((tx) =>
      changeRecord(tx, far.id, {
        ssh: { address: '10.7.1.12', port: 22, user: 'root', host_key: HOST_KEY },
      }),
    )
    await openPage(`/nodes/${far.id}`, as)
    await openMenu('node-2')
    fireEvent.click(await screen.findByRole('menuitem', { name: /^Delete/ }, pageTimeout))
    const question = within(await screen.findByRole('alertdialog', { name: 'Delete node “node-2”?' }, pageTimeout))
    question.getByText((text) => text.startsWith(warning))
    fireEvent.click(question.getByRole('button', { name: 'Delete node' }))
    await expectAddress('/nodes')
    const task = await ended('node.delete', far.id)
    expect((await server.fetch(nodes.view, { as, params: { id: far.id } })).status).toBe(404)
    await openPage(`/tasks/${task.id}`, as)
    await dialog('Node “node-2” deleted')
    const shown = screen.queryByRole('region', { name: 'Command to run on the host' })
    if (state === 'up') {
      expect(host.ran.at(-1)?.join(' ')).toContain('authorized_keys')
      expect(shown).toBeNull()
    } else expect(shown!.textContent).toMatch(/^sudo -u root sh -c .*authorized_keys/)
  } finally {
    Object.assign(server.tools, { hosts: before })
    await server.tools.inventory.transaction((tx) => tx.removePrivate('node', far.id))
  }
})

it(
  'offers neither to delete nor to reinstall this host, and explains why a node in use cannot be deleted',
  long,
  async () => {
    await putFar()
    await openPage(`/nodes/${far.id}`, as)
    await openMenu('node-2')
    fireEvent.click(await screen.findByRole('menuitem', { name: /^Unavailable actions/ }, pageTimeout))
    await screen.findByText(
      'node-2 belongs to the cluster. It can be deleted only while it is offline.',
      {},
      pageTimeout,
    )
    const { id, host } = await thisHost()
    await openPage(`/nodes/${id}`, as)
    await openMenu(host)
    expect((await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent)).toEqual([
      'Enter maintenance',
    ])
  },
)

it('creates another command for a reinstallation if the first one was lost', long, async () => {
  await putFar({ is_assigned: false })
  await server.call(nodes.reinstall, { as, params: { id: far.id } })
  await openPage(`/nodes/${far.id}`, as)
  fireEvent.click(await screen.findByRole('link', { name: 'Create new reinstallation command' }, pageTimeout))
  await expectAddress(`/nodes/${far.id}/reinstall`)
  await screen.findByText(/^A command was created and is shown only once/, {}, pageTimeout)
  await press('Create command')
  await screen.findByRole('region', { name: 'Registration command' }, pageTimeout)
})

/** Returns the error message of the call that adds the node to the cluster. */
async function refusedJoin(): Promise<string> {
  const answer = await server.fetch(nodeJoining.join, {
    as,
    params: { cluster: CLUSTER_ID },
    body: { node_id: far.id },
  })
  return ((await answer.json()) as { error: { message: string } }).error.message
}

it('shows the error of the call that adds a node: there is no cluster, or it cannot grow [ER-016]', long, async () => {
  const { areas } = server.tools
  const { storage, 'object-storage': objects, compute } = areas
  const expectAnswer = async (text: RegExp) => {
    const answer = await refusedJoin()
    expect(answer).toMatch(text)
    await openPage(`/nodes/${far.id}`, as)
    await screen.findByText(answer, {}, pageTimeout)
  }
  await putFar({ is_assigned: false })
  await expectAnswer(/^This engine runs on only one host, so node-2 cannot be added or removed/)
  try {
    const none = { engine: null, advice: 'none' }
    Object.assign(areas, { storage: none, 'object-storage': none })
    await expectAnswer(/^No cluster available/)
    const cloud = { ...compute.engine!, name: 'openstack', feed: {} }
    Object.assign(areas, { storage, 'object-storage': objects, compute: { ...compute, engine: cloud } })
    await expectAnswer(/^node-2 is not a host of the attached cloud/)
  } finally {
    Object.assign(areas, { storage, 'object-storage': objects, compute })
  }
})

it(
  'checks each service before maintenance, lets the user choose a mode for each, and ends the maintenance',
  { ...long, tags: 'all' },
  async () => {
    const host = await thisHost()
    await openPage(`/nodes/${host.id}`, as)
    await openMenu(host.host)
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Enter maintenance' }, pageTimeout))
    const asked = await dialog(`Enter maintenance: ${host.host}`)
    const checks = within(await asked.findByRole('table', { name: 'Checks' }, pageTimeout))
    checks.getByText('No virtual machines are running on this host')
    checks.getByText('The console and the API are not available while this host is off')
    fireEvent.click(asked.getByRole('button', { name: 'Enter maintenance' }))
    // the node stays busy until the task ends, which is shortly after its status changes
    await ended('node.maintenance.enter', host.id)
    expect((await thisHost()).status).toBe('maintenance')

    await openPage(`/nodes/${host.id}/maintenance`, as)
    const leaving = await dialog(`Leave maintenance: ${host.host}`)
    const leave = leaving.getByRole('button', { name: 'Leave maintenance' })
    await vi.waitFor(() => expect(leave.getAttribute('disabled')).toBeNull(), pageTimeout)
    fireEvent.click(leave)
    await vi.waitFor(async () => expect((await thisHost()).maintenance).toBeNull(), pageTimeout)
  },
)

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

it('offers no actions that change nodes to users with read-only access', long, async () => {
  await putFar({ is_assigned: false })
  await openPage(`/nodes/${far.id}`, 'viewer')
  await screen.findByRole('heading', { level: 1, name: 'node-2' }, pageTimeout)
  expect(screen.queryByRole('button', { name: /^Actions/ })).toBeNull()
  await openPage('/nodes', 'viewer')
  await screen.findByRole('row', { name: 'node-2' }, pageTimeout)
  expect(screen.queryByRole('link', { name: 'Add node' })).toBeNull()
})
