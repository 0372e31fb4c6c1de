import { taskKind, type Task } from '@mainstay/contract/core/tasks'
import { locations } from '@mainstay/contract/infrastructure/locations'
import type { Node } from '@mainstay/contract/infrastructure/nodes'
import { NodeStatus } from '@mainstay/contract/infrastructure/node-rules'
import { act, fireEvent, screen, within } from '@testing-library/react'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { publishChange } from '../../../api/changes'
import { viewPath } from '../../../nav/known-pages'
import { expectTasks, taskChanged } from '../../../notices/expected-tasks'
import { showTaskNotices } from '../../../notices/task-notices'
import { expectAddress, openPage, server, told, withPages } from '../../../testing/pages'
import { pageTimeout } from '../../../testing/page-timeout'
import { far, putFar, readAt, removeFar } from '../../../testing/far-node'

const long = { timeout: 180_000 }
const as = 'superuser'
withPages()
// the node watch would overwrite the test's nodes with what the engine and the hosts report
beforeAll(() => server.tools.nodeWatch.close())
// preload the pages, because loading them on a busy host can take longer than a test waits
beforeAll(() => Promise.all([import('./NodeListPage'), import('./page/NodePage'), import('./page/NodeOverview')]))

afterEach(removeFar)

const rowOf = (name: string) => screen.findByRole('row', { name }, pageTimeout)
const factOf = async (label: string) => {
  const terms = await screen.findAllByText(label, { selector: 'dt' }, pageTimeout)
  return terms[0]!.closest('div')!.querySelector('dd')!.textContent
}
/** Simulates the socket event for the end of a task. */
function publishTask(name: string, state: Task['state'], error: string | null = null) {
  const at = new Date().toISOString()
  const task: Task = {
    ...{ id: `task-${name}-${state}`, task_id: `task-${name}-${state}`, name, state, kwargs: {}, event: null },
    args: [{ kind: 'node', id: far.id, name: far.host }],
    ...{ result: null, progress: 100, error, flow: null, cancellable: false, user_id: null, project_id: null },
    ...{ domain_id: null, created_at: at, updated_at: at, finished_at: at },
  }
  const change = { kind: taskKind.name, id: task.id, op: 'put' as const, revision: 1, at, project_id: null }
  act(() => publishChange({ ...change, domain_id: null, entity: task }))
  return task
}

it('lists nodes with status, services, address, load and disks, and opens their pages [UI-004]', long, async () => {
  await putFar()
  await openPage('/nodes', as)
  const row = within(await rowOf('node-2'))
  for (const text of ['Storage', '10.7.1.12', '44%', '75%', '11 of 12', 'Healthy']) row.getByText(text)
  fireEvent.click(row.getByRole('link', { name: 'node-2' }))
  await expectAddress(`/nodes/${far.id}`)
  await screen.findByRole('heading', { level: 1, name: 'node-2' }, pageTimeout)
  // tasks, alerts and search results about the node link to its page
  expect(viewPath('node', far.id)).toBe(`/nodes/${far.id}`)
})

it('shows every field of a node on its page [EN-058]', long, async () => {
  await putFar({
    recovery: { state: 'running', progress: 0.41 },
    maintenance: { state: 'suspended', since: readAt, task_id: null },
    tasks: ['task-1'],
  })
  await openPage(`/nodes/${far.id}`, as)
  await screen.findByRole('heading', { level: 1, name: 'node-2' }, pageTimeout)
  screen.getByText('Recovering')
  screen.getByText('41%')
  const facts: [string, string | RegExp][] = [
    ['ID', far.id],
    ['Name at registration', 'node-two'],
    ['Addresses', '10.7.1.12'],
    ['CPU', 'AMD EPYC 9354P'],
    ['Cores', '1 socket, 32 cores, 64 threads'],
    ['Memory', /^64.GiB$/],
    ['Rack', 'rack-7'],
    ['Row', 'row-7'],
    ['Room', 'room-7'],
    ['Disks', /^12 disks, 400.GiB, 1 failed$/],
    ['Space used', /^100.GiB$/],
    ['SSH address', '10.7.1.12:22'],
    ['Host key', 'SHA256:9bXqf4'],
    ['In maintenance since', /2026/],
  ]
  for (const [label, value] of facts) expect(await factOf(label)).toMatch(value)
  const services = within(await screen.findByRole('table', { name: 'Services' }, pageTimeout))
  services.getByText('Storage')
  services.getByText('Running')
  const tasks = (await screen.findByText('Running task', {}, pageTimeout)).closest('div')!
  expect(within(tasks).getByRole('link').getAttribute('href')).toMatch(/\/tasks\/task-1$/)
})

it('links a node to its locations in the tree, and shows what stops if the node fails', long, async () => {
  const { locations: places } = await server.call(locations.tree, { as })
  const [room, line, rack] = (['room', 'row', 'rack'] as const).map((level) =>
    places.find(({ domain }) => domain === level)!,
  )
  await putFar({ roomId: room!.id, rowId: line!.id, rackId: rack!.id })
  await openPage(`/nodes/${far.id}`, as)
  for (const { name } of [room!, line!, rack!])
    expect((await screen.findAllByRole('link', { name }, pageTimeout))[0]!.getAttribute('href')).toMatch(
      /\/infrastructure\/locations$/,
    )
  const panel = (await screen.findByRole('heading', { name: 'Impact of a failure' }, pageTimeout)).closest('section')!
  await within(panel).findByText('Management', {}, pageTimeout)
})

const conditions: Readonly<Record<NodeStatus, readonly [shown: string, change: Partial<Node>]>> = {
  healthy: ['Healthy', {}],
  failed: ['Failed', { services: [{ name: 'storage', status: 'failed', message: 'disk lost' }] }],
  unassigned: ['Unassigned', { is_assigned: false }],
  in_progress: ['In progress', { activity: 'in_progress' }],
  installing: ['Installing', { activity: 'installing' }],
  releasing: ['Releasing', { activity: 'releasing' }],
  recovering: ['Recovering', { recovery: { state: 'running', progress: null } }],
  recovery_failed: ['Recovery failed', { recovery: { state: 'failed', progress: null } }],
  maintenance: ['In maintenance', { maintenance: { state: 'suspended', since: readAt, task_id: null } }],
  suspending: ['Entering maintenance', { maintenance: { state: 'suspending', since: readAt, task_id: null } }],
  resuming: ['Leaving maintenance', { maintenance: { state: 'resuming', since: readAt, task_id: null } }],
  suspend_incomplete: [
    'Entering maintenance failed',
    { maintenance: { state: 'suspend_incomplete', since: readAt, task_id: null } },
  ],
  resume_incomplete: [
    'Leaving maintenance failed',
    { maintenance: { state: 'resume_incomplete', since: readAt, task_id: null } },
  ],
  offline: ['Offline', { is_online: false }],
}

it('shows each derived status of a node in words [ST-044]', long, async () => {
  for (const status of NodeStatus.options) {
    const [shown, change] = conditions[status]
    expect((await putFar(change)).status).toBe(status)
    await openPage('/nodes', as)
    within(await rowOf('node-2')).getByText(shown)
  }
})

it('shows a node as failed if any of its services has failed, and names the service [ST-045]', long, async () => {
  await putFar({
    services: [
      { name: 'storage', status: 'running', message: null },
      { name: 'compute', status: 'failed', message: 'exit code 1' },
    ],
  })
  await openPage('/nodes', as)
  const row = within(await rowOf('node-2'))
  row.getByText('Failed')
  row.getByText('Compute')
  await openPage(`/nodes/${far.id}`, as)
  await screen.findByText('exit code 1', {}, pageTimeout)
})

it('shows the last values of an offline node with their time, and why the node cannot be reached', long, async () => {
  const problem = 'The connection to node-2 was lost'
  await putFar({ is_online: false, link: { ...far.link, problem } })
  await openPage('/nodes', as)
  const row = within(await rowOf('node-2'))
  row.getByText('Offline')
  row.getByText('75%')
  expect(row.getAllByRole('time').map((it: HTMLElement) => (it as HTMLTimeElement).dateTime)).toContain(readAt)
  await openPage(`/nodes/${far.id}`, as)
  await screen.findByText(/^node-2 has not responded since .*2026/, {}, pageTimeout)
  screen.getByText(problem)
})

it(
  'groups nodes that are not in the cluster, and explains what a second host can do if there is only one',
  long,
  async () => {
    await openPage('/nodes', as)
    await screen.findByRole('heading', { name: 'Capabilities of a second host' }, pageTimeout)
    await putFar({ is_assigned: false })
    await openPage('/nodes', as)
    await screen.findByText('Not in the cluster', { selector: 'bdi' }, pageTimeout)
    expect(screen.queryByRole('heading', { name: 'Capabilities of a second host' })).toBeNull()
  },
)

it.each([
  ['node.register', 'success'],
  ['node.maintenance.enter', 'failed'],
] as const)('reloads the list when %s ends with %s', long, async (name, state) => {
  await putFar({ is_assigned: false })
  await openPage('/nodes', as)
  within(await rowOf('node-2')).getByText('Unassigned')
  await putFar()
  publishTask(name, state)
  await vi.waitFor(async () => within(await rowOf('node-2')).getByText('Healthy'), pageTimeout)
})

it.each([
  ['node.maintenance.enter', 'Node “node-2” could not enter maintenance'],
  ['node.maintenance.exit', 'Node “node-2” could not leave maintenance'],
])('shows a toast with its own title when %s fails: %s [ER-057]', long, async (name, title) => {
  await putFar()
  await openPage('/nodes', as)
  await rowOf('node-2')
  showTaskNotices()
  expectTasks({ id: far.id }, {})
  act(() => taskChanged(publishTask(name, 'failed', 'The host does not answer')))
  await vi.waitFor(() => expect(told()).toContain(title), pageTimeout)
})
