import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { fireEvent, screen, within } from '@testing-library/react'
import { computeNodes, type ComputeNode } from '@mainstay/contract/compute/nodes'
import { computeNodeRow } from '../../../../../engines/src/embedded/rows/compute-node'
import { simulatedHost } from '../../../../../engines/src/embedded/simulated/options'
import { startServer, type TestServer } from '../../../../../server/src/testing/start-server'
import { publishChange } from '../../../api/changes'
import { pageTimeout } from '../../../testing/page-timeout'
import { withLayout } from '../../../testing/browser'
import { renderPage } from '../../../testing/render-page'

let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
beforeAll(() => Promise.all([import('./NodeListPage'), import('./NodePage'), import('../cluster/ClusterPage')]))
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
afterEach(() => page?.close())

const as = 'compute-operator'
const long = { timeout: 20_000 }

/** Adds a simulated node, or replaces its row. */
async function put(id: string, given: Partial<ComputeNode> = {}): Promise<void> {
  const row = computeNodeRow(simulatedHost, { id, host: id, ...given })
  await server.tools.inventory.from('embedded').transaction((tx) => tx.put('compute_node', row))
}
const row = async (host: string) => within((await screen.findByRole('link', { name: host }, long)).closest('tr')!)
const openList = async () => void (page = await renderPage('/compute/nodes', { server, as }))

async function openActions(host: string) {
  fireEvent.click((await row(host)).getByRole('button', { name: `Actions for ${host}` }))
  return within(await screen.findByRole('menu', {}, long))
}

it('shows the status of each node, and the reason of a fence', pageTimeout, async () => {
  await put('a-offline', { state: 'down', in_maintenance: true })
  await put('b-recovering', { state: 'recovering', in_maintenance: true })
  await put('c-failed', { state: 'recovery_failed' })
  await put('d-maintenance', { in_maintenance: true })
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
  // an animated ring stands for work in progress
  for (const [host, isBusy] of [
    ['e-joining', true],
    ['f-releasing', true],
    ['simulated-1', false],
  ] as const)
    expect((await row(host)).queryByText(/Joining|Releasing/) !== null, host).toBe(isBusy)
  expect((await row('simulated-1')).getAllByText(/ free$/)).toHaveLength(2)
})

it('states why a node cannot be released', pageTimeout, async () => {
  await put('f-releasing', { state: 'releasing' })
  await put('b-recovering', { state: 'recovering' })
  await openList()
  for (const [host, reason] of [
    ['f-releasing', /“f-releasing” is releasing/],
    ['b-recovering', /“b-recovering” is in recovery/],
  ] as const) {
    const menu = await openActions(host)
    const barred = menu.queryByText(/unavailable/i)
    if (barred) fireEvent.click(barred)
    expect((await menu.findAllByText(reason, {}, long)).length).toBeGreaterThan(0)
    fireEvent.keyDown(document.activeElement!, { key: 'Escape' })
    await vi.waitFor(() => expect(screen.queryByRole('menu')).toBeNull())
  }
})

it('adds a node, and reloads the list when the task has ended', pageTimeout, async () => {
  await put('h-spare', { state: 'released' })
  await openList()
  expect((await row('h-spare')).getByText('Not in compute')).toBeTruthy()
  const menu = await openActions('h-spare')
  fireEvent.click(menu.getByText('Add to compute'))
  await vi.waitFor(async () => expect((await row('h-spare')).getByText('Up')).toBeTruthy(), long)
})

it('reloads the list when a task of another user has ended', pageTimeout, async () => {
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

it('shows the statistics of a node and returns a fenced node to operation', pageTimeout, async () => {
  await put('j-fenced', { fenced_reason: 'Broken fan' })
  page = await renderPage('/compute/nodes/j-fenced', { server, as })
  expect(await screen.findByRole('heading', { name: 'Virtual machines on this node' }, long)).toBeTruthy()
  expect(screen.getByText('Reserved for the host')).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Actions for j-fenced' }))
  fireEvent.click(within(await screen.findByRole('menu', {}, long)).getByText('Return to operation'))
  const dialog = within(await screen.findByRole('dialog', {}, long))
  fireEvent.click(dialog.getByRole('button', { name: 'Return to operation' }))
  await vi.waitFor(async () => {
    const found = await server.call(computeNodes.view, { as, params: { id: 'j-fenced' } })
    expect(found.fenced_reason).toBeNull()
  }, long)
})

it('shows and changes the compute cluster', pageTimeout, async () => {
  page = await renderPage('/compute/cluster', { server, as })
  expect(await screen.findByText('Active', {}, long)).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Remove compute cluster' })).toBeTruthy()
  for (const feature of ['allow_live_resize', 'allow_live_resize_migration', 'HciComputeBackupEnabled'])
    expect(screen.getByText(feature)).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Enable Live resize' }))
  expect(await screen.findByRole('button', { name: 'Disable Live resize' }, long)).toBeTruthy()
})
