import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { act, fireEvent, screen, within } from '@testing-library/react'
import { computeCluster } from '@mainstay/contract/compute/compute-cluster'
import { computeNodes, type ComputeNode } from '@mainstay/contract/compute/nodes'
import { computeNodeRow } from '../../../../../engines/src/embedded/rows/compute-node'
import { simulatedHost } from '../../../../../engines/src/embedded/simulated/options'
import { newNode, noLink } from '../../../../../server/src/areas/infrastructure/nodes/node-rows'
import { startServer, type TestServer } from '../../../../../server/src/testing/start-server'
import { startChangeFlow } from '../../../api/change-flow'
import { publishChange } from '../../../api/changes'
import { queryClient } from '../../../api/query-client'
import { confirmDialog } from '../../../testing/pages'
import { pressAndLoad } from '../../../testing/press-and-load'
import { pageTimeout } from '../../../testing/page-timeout'
import { withLayout } from '../../../testing/browser'
import { renderPage } from '../../../testing/render-page'

let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
// preload the pages, because loading them on a busy host can take longer than a test waits
beforeAll(() =>
  Promise.all([
    import('./NodeListPage'),
    import('./NodePage'),
    import('../cluster/ClusterPage'),
    import('../../../patterns/ActionMenu'),
  ]),
)
beforeAll(async () => {
  // a demo installation that contains virtual machines
  // tasks of nodes take long enough to be seen
  server = await startServer({
    world: 'demo',
    delays: { start: 0, shutdown: 10, suspend: 0, quick: 0, copy: 0, node: 4_000 },
  })
})
afterAll(() => server.close())
afterEach(() => page?.close())

const as = 'compute-operator'
const long = { timeout: 60_000 }

/** Adds a simulated node, or replaces its row. */
async function put(id: string, given: Partial<ComputeNode> = {}): Promise<void> {
  const row = computeNodeRow(simulatedHost, { id, host: id, ...given })
  await server.tools.inventory.from('embedded').transaction((tx) => tx.put('compute_node', row))
}
/** Adds or replaces a node whose host is in maintenance. */
async function putInMaintenance(id: string, given: Partial<ComputeNode> = {}): Promise<void> {
  await put(id, given)
  const maintenance = { state: 'suspended' as const, since: new Date().toISOString(), task_id: null }
  const node = newNode({ id, host: id, link: noLink, is_assigned: true, maintenance })
  await server.tools.inventory.transaction((tx) => tx.put('node', node))
}
const row = async (host: string) => within((await screen.findByRole('link', { name: host }, long)).closest('tr')!)
const openList = async () => void (page = await renderPage('/compute/nodes', { server, as }))

async function openActions(host: string) {
  await row(host)
  // wait for the engine's capabilities, which decide which actions are listed
  await vi.waitFor(() => expect(queryClient.isFetching()).toBe(0), long)
  await pressAndLoad(await (await row(host)).findByRole('button', { name: `Actions for ${host}` }, long))
  return within(await screen.findByRole('menu', {}, long))
}

it('shows the status of each node, and the reason for a fence [ST-034, ST-035]', pageTimeout, async () => {
  await putInMaintenance('a-offline', { state: 'down' })
  await putInMaintenance('b-recovering', { state: 'recovering' })
  await put('c-failed', { state: 'recovery_failed' })
  await putInMaintenance('d-maintenance')
  await put('e-joining', { state: 'joining' })
  await put('f-releasing', { state: 'releasing' })
  await put('g-fenced', { fenced_reason: 'Broken fan' })
  await openList()
  for (const [host, text] of [
    ['a-offline', 'Offline'],
    ['b-recovering', 'Recovering'],
    ['c-failed', 'Recovery failed'],
    ['d-maintenance', 'Maintenance'],
    ['e-joining', 'Joining'],
    ['f-releasing', 'Releasing'],
    ['g-fenced', 'Fenced'],
    ['simulated-1', 'Up'],
  ] as const)
    expect((await row(host)).getByText(new RegExp(`^${text}`))).toBeTruthy()
  expect((await row('g-fenced')).getByText('Broken fan')).toBeTruthy()
  // an animated ring indicates that work is in progress
  for (const [host, isBusy] of [
    ['e-joining', true],
    ['f-releasing', true],
    ['simulated-1', false],
    ['d-maintenance', false],
  ] as const) {
    const ring = screen.getByRole('link', { name: host }).closest('tr')!.querySelector('svg[class*="spinner"]')
    expect(ring !== null, host).toBe(isBusy)
  }
  expect((await row('simulated-1')).getAllByText(/ free$/)).toHaveLength(2)
})

it('states why a node cannot be released [ST-036, ST-037, ST-038]', pageTimeout, async () => {
  await put('f-releasing', { state: 'releasing' })
  await put('e-joining', { state: 'joining' })
  await put('b-recovering', { state: 'recovering' })
  await put('c-failed', { state: 'recovery_failed' })
  await openList()
  for (const [host, reason] of [
    ['simulated-1', /“simulated-1” has \d+ virtual machines/],
    ['e-joining', /“e-joining” is joining/],
    ['f-releasing', /“f-releasing” is releasing/],
    ['b-recovering', /on the node “b-recovering” are being moved to other nodes/],
    ['c-failed', /on the node “c-failed” are being moved to other nodes/],
  ] as const) {
    const menu = await openActions(host)
    // the number of virtual machines may arrive after the menu has opened
    await vi.waitFor(() => {
      const barred = menu.queryByText(/unavailable/i)
      if (barred && menu.queryAllByText(reason).length === 0) fireEvent.click(barred)
      expect(menu.queryAllByText(reason).length).toBeGreaterThan(0)
    }, long)
    expect(menu.getByRole('menuitem', { name: /^Release node/ }).getAttribute('aria-disabled')).toBe('true')
    fireEvent.keyDown(screen.getByRole('menu'), { key: 'Escape' })
    await vi.waitFor(() => expect(screen.queryByRole('menu')).toBeNull())
  }
})

it('adds and releases a node, and shows its progress [ST-039, UI-006]', pageTimeout, async () => {
  await put('h-spare', { state: 'released' })
  await openList()
  expect((await row('h-spare')).getByText('Not in compute')).toBeTruthy()
  const menu = await openActions('h-spare')
  fireEvent.click(await menu.findByRole('menuitem', { name: 'Add to compute' }, long))
  await vi.waitFor(async () => expect((await row('h-spare')).getByText('Joining')).toBeTruthy(), long)
  await vi.waitFor(async () => expect((await row('h-spare')).getByText('Up')).toBeTruthy(), long)
  fireEvent.click(await (await openActions('h-spare')).findByRole('menuitem', { name: 'Release node' }, long))
  await confirmDialog()
  await vi.waitFor(async () => expect((await row('h-spare')).getByText('Releasing')).toBeTruthy(), long)
  await vi.waitFor(async () => expect((await row('h-spare')).getByText('Not in compute')).toBeTruthy(), long)
})

it('reloads the list when a task of another user ends [ST-040, ST-042]', pageTimeout, async () => {
  await put('i-other', { state: 'releasing' })
  for (const [name, state, reached, text] of [
    ['compute.node.release', 'success', 'released', 'Not in compute'],
    ['compute.node.join', 'success', 'up', 'Up'],
    ['compute.node.join', 'failed', 'released', 'Not in compute'],
  ] as const) {
    await openList()
    await row('i-other')
    await put('i-other', { state: reached })
    publishChange({ kind: 'task', id: 't', entity: { id: 't', name, state } } as never)
    await vi.waitFor(async () => expect((await row('i-other')).getByText(text)).toBeTruthy(), long)
    page?.close()
  }
})

it('updates the list when the socket reports a change to a node [EV-033]', pageTimeout, async () => {
  await put('k-told')
  await openList()
  expect((await row('k-told')).getByText('Up')).toBeTruthy()
  await put('k-told', { state: 'down' })
  const entity = await server.call(computeNodes.view, { as, params: { id: 'k-told' } })
  const change = { kind: 'compute_node', id: 'k-told', op: 'put', project_id: null, domain_id: null } as const
  const flow = startChangeFlow(() => true, null)
  act(() => flow.take([{ ...change, revision: 1_000_000, at: '', entity }]))
  await vi.waitFor(async () => expect((await row('k-told')).getByText('Offline')).toBeTruthy(), long)
  flow.stop()
})

it('keeps the statistics of a node on its page when the socket reports a change to the node', pageTimeout, async () => {
  await put('m-told')
  page = await renderPage('/compute/nodes/m-told', { server, as })
  await screen.findByText('Reserved for the host', {}, long)
  await put('m-told', { fenced_reason: 'Loud fan' })
  const [entity] = [...(await server.tools.inventory.transaction((tx) => tx.find('compute_node', { id: 'm-told' })))]
  const change = { kind: 'compute_node', id: 'm-told', op: 'put', project_id: null, domain_id: null } as const
  const flow = startChangeFlow(() => true, null)
  act(() => flow.take([{ ...change, revision: 1_000_001, at: '', entity: entity as never }]))
  await screen.findAllByText('Loud fan', {}, long)
  expect(screen.getByText('Reserved for the host')).toBeTruthy()
  flow.stop()
})

it('shows the statistics of a node and returns a fenced node to operation', pageTimeout, async () => {
  await put('j-fenced', { fenced_reason: 'Broken fan' })
  page = await renderPage('/compute/nodes/j-fenced', { server, as })
  expect(await screen.findByRole('heading', { name: 'Virtual machines on this node' }, long)).toBeTruthy()
  expect(screen.getByText('Reserved for the host')).toBeTruthy()
  await pressAndLoad(await screen.findByRole('button', { name: 'Actions for j-fenced' }, long))
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Return to service' }, long))
  await confirmDialog()
  await vi.waitFor(async () => {
    const found = await server.call(computeNodes.view, { as, params: { id: 'j-fenced' } })
    expect(found.fenced_reason).toBeNull()
  }, long)
})

it('shows and changes the compute cluster [UI-005, CA-039, CA-041]', pageTimeout, async () => {
  const cluster = await server.call(computeCluster.view, { as })
  page = await renderPage('/compute/cluster', { server, as })
  expect(await screen.findByText('Active', {}, long)).toBeTruthy()
  expect(screen.getByText(cluster.hypervisor)).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Remove compute cluster' })).toBeTruthy()
  const features = within(screen.getByRole('table', { name: 'Features' }))
  for (const feature of ['allow_live_resize', 'allow_live_resize_migration', 'HciComputeBackupEnabled'])
    expect(features.getByText(feature)).toBeTruthy()
  const isOn = cluster.features.allow_live_resize
  const [now, then] = isOn ? ['Disable', 'Enable'] : ['Enable', 'Disable']
  fireEvent.click(features.getByRole('button', { name: `${now} live resize` }))
  expect(await screen.findByRole('button', { name: `${then} live resize` }, long)).toBeTruthy()
  expect((await server.call(computeCluster.view, { as })).features.allow_live_resize).toBe(!isOn)
})

/** Replaces capabilities of the engine while a test runs. */
async function withCapabilities(
  change: Partial<TestServer['tools']['capabilities']['compute']>,
  work: () => Promise<void>,
) {
  const { compute } = server.tools.capabilities
  const before = { ...compute }
  Object.assign(compute, change)
  try {
    await work()
  } finally {
    Object.assign(compute, before)
  }
}
const itemsOf = async (host: string) => {
  const menu = await openActions(host)
  const items = menu.getAllByRole('menuitem').map(({ textContent }) => textContent)
  fireEvent.keyDown(screen.getByRole('menu'), { key: 'Escape' })
  await vi.waitFor(() => expect(screen.queryByRole('menu')).toBeNull())
  return items
}

it('lists only actions that the engine and the state of a node permit', pageTimeout, async () => {
  await put('k-fenced', { fenced_reason: 'Broken fan' })
  await put('l-spare', { state: 'released' })
  await openList()
  expect(await itemsOf('k-fenced')).toEqual(['Return to service', 'Release node'])
  await withCapabilities({ many_nodes: false, live_resize: false }, async () => {
    page?.close()
    await openList()
    await row('l-spare')
    expect(await itemsOf('k-fenced')).toEqual(['Return to service'])
    // a released node runs no virtual machines, so there is nothing to fence
    expect((await row('l-spare')).queryByRole('button', { name: 'Actions for l-spare' })).toBeNull()
    expect(screen.queryByText(/^You can release a node only if/)).toBeNull()
    await server.call(computeCluster.update, { as, body: { disable_features: ['allow_live_resize'] } })
    page?.close()
    page = await renderPage('/compute/cluster', { server, as })
    const features = within(await screen.findByRole('table', { name: 'Features' }, long))
    expect(features.getAllByText('The compute engine does not support this feature.')).toHaveLength(2)
    expect(features.queryByRole('button')).toBeNull()
  })
})

it('shows an error on all pages with statistics if the statistics cannot be loaded', pageTimeout, async () => {
  const fault = vi.spyOn(server.tools.ports.compute.nodes, 'statistics').mockRejectedValue(new Error('no statistics'))
  try {
    for (const path of ['/compute/nodes', '/compute/nodes/simulated-1', '/compute/cluster']) {
      page = await renderPage(path, { server, as })
      await screen.findByRole('button', { name: 'Retry' }, long)
      page.close()
    }
  } finally {
    fault.mockRestore()
  }
})

it('neither deploys nor removes the cluster of a cloud, and explains who manages it', pageTimeout, async () => {
  const { compute } = server.tools.areas
  Object.assign(server.tools.areas, { compute: { ...compute, engine: { ...compute.engine!, name: 'openstack' } } })
  try {
    page = await renderPage('/compute/cluster', { server, as })
    await screen.findByText(/^Services on the nodes and the cluster itself/, {}, long)
    expect(screen.queryByRole('button', { name: /compute cluster$/ })).toBeNull()
    expect(screen.queryByText('Virtual machines use the CPU model of their host.')).toBeNull()
  } finally {
    Object.assign(server.tools.areas, { compute })
  }
})

it(
  'removes the cluster and deploys it again, and shows each result immediately',
  { ...pageTimeout, tags: 'all' },
  async () => {
    const empty = await startServer()
    try {
      page = await renderPage('/compute/cluster', { server: empty, as })
      fireEvent.click(await screen.findByRole('button', { name: 'Remove compute cluster' }, long))
      const question = within(await screen.findByRole('alertdialog', {}, long))
      question.getByText(/cannot be removed while it has virtual machines or volumes\.$/)
      fireEvent.change(question.getByRole('textbox'), { target: { value: 'compute' } })
      fireEvent.click(question.getByRole('button', { name: 'Remove compute cluster' }))
      await screen.findByText(/^The compute cluster is not deployed on this host/, {}, long)
      screen.getByText('Not deployed')
      fireEvent.click(await screen.findByRole('button', { name: 'Deploy compute cluster' }, long))
      await screen.findByText('Active', {}, long)
      screen.getByRole('button', { name: 'Remove compute cluster' })
    } finally {
      page?.close()
      await empty.close()
    }
  },
)
