import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { Task } from '@mainstay/contract/core/tasks'
import { openSimulatedCloud } from '../../../engines/src/embedded/testing/embedded-cloud'
import { openMemory } from '../../../engines/src/embedded/testing/memory'
import { publishChange } from '../api/changes'
import { loadTexts, textsNow } from '../i18n/use-t'
import { setSession } from '../session/session'
import { freshSession } from '../testing/fresh-session'
import { expectTasks, followTaskChanges } from './expected-tasks'
import { removeNotice, useNotices } from './notices'
import { findRunning, showTaskNotices } from './task-notices'
import { taskText } from './task-words'

const task = (part: Partial<Task>): Task =>
  ({
    id: 't1',
    name: 'compute.server.create',
    state: 'running',
    args: [{ kind: 'server', id: 'vm1', name: 'web' }],
    kwargs: {},
    progress: 0,
    flow: null,
    error: null,
    ...part,
  }) as Task

const change = (entity: Task) =>
  publishChange({
    revision: 1,
    kind: 'task',
    id: entity.id,
    op: 'put',
    project_id: null,
    domain_id: null,
    at: '',
    entity,
  })
const shown = () => useNotices.getState().notices

beforeAll(async () => {
  await loadTexts('tasks')
  followTaskChanges()
  showTaskNotices()
})
beforeEach(() => {
  for (const { id } of shown()) removeNotice(id)
})

it.each([
  ['error', ['aborted', 'failed']],
  ['warning', ['cancelled']],
  ['progress', ['cancelling', 'running', 'scheduled', 'starting']],
  ['success', ['success']],
])('shows %s notifications for tasks that are %s [ST-019] [ST-020] [ST-021] [ST-022]', async (type, states) => {
  for (const state of states) {
    const id = `of-${state}`
    expectTasks(undefined, { task_id: id })
    change(task({ id, state: state as Task['state'] }))
    await vi.waitFor(() => expect(shown().map(({ task: of }) => of?.id)).toContain(id))
    expect(shown().find(({ task: of }) => of?.id === id)).toMatchObject({ type, showBottom: true })
  }
})

it('shows one notification for a task started here, from start to end', async () => {
  expectTasks(undefined, { id: 'vm1' })
  change(task({ progress: 40 }))
  await vi.waitFor(() => expect(shown()).toHaveLength(1))
  expect(shown()[0]).toMatchObject({ type: 'progress', title: 'Creating virtual machine “web”', progress: 40 })
  change(task({ state: 'success', progress: 100 }))
  await vi.waitFor(() => expect(shown()[0]!.type).toBe('success'))
  expect(shown()).toHaveLength(1)
  expect(shown()[0]!.title).toBe('Virtual machine “web” created')
})

it('shows the server’s error and a task-specific title for a failed task [ER-014]', async () => {
  expectTasks(undefined, { id: 'vm2' })
  change(task({ id: 't2', args: [{ id: 'vm2', name: 'db' }], state: 'failed', error: 'No host has room' }))
  await vi.waitFor(() => expect(shown()).toHaveLength(1))
  expect(shown()[0]).toMatchObject({
    type: 'error',
    title: 'Cannot create virtual machine “db”',
    message: 'No host has room',
  })
})

it.each([
  ['deploy', 'compute.cluster.create', 'Cannot deploy the compute cluster', 'ER-046'],
  ['destroy', 'compute.cluster.delete', 'Cannot remove the compute cluster', 'ER-047'],
  ['join', 'compute.node.join', 'Cannot add node “one” to compute', 'ER-048'],
  ['release', 'compute.node.release', 'Cannot release node “one” from compute', 'ER-049'],
  ['network create', 'compute.network.create', 'Cannot create network “one”', 'ER-050'],
  ['network delete', 'compute.network.delete', 'Cannot delete network “one”', 'ER-051'],
])(
  'shows a failed compute %s task with its own title [ER-046, ER-047, ER-048, ER-049, ER-050, ER-051]',
  async (_, name, title, id) => {
    expectTasks(undefined, { task_id: id })
    change(task({ id, name, args: [{ id: `of-${id}`, name: 'one' }], state: 'failed', error: 'No answer' }))
    await vi.waitFor(() => expect(shown()).toHaveLength(1))
    expect(shown()[0]).toMatchObject({ type: 'error', title, message: 'No answer', showBottom: true })
  },
)

it('shows why a task failed, or that the reason is unknown [ER-013]', async () => {
  expectTasks(undefined, { task_id: 't5' })
  change(task({ id: 't5', state: 'failed', error: 'No host has room' }))
  await vi.waitFor(() => expect(shown()[0]?.message).toBe('No host has room'))
  expectTasks(undefined, { task_id: 't3' })
  change(task({ id: 't3', state: 'failed' }))
  await vi.waitFor(() => expect(shown()[0]?.message).toBe('Task failed due to unknown reason'))
})

it('ignores tasks started by others [UI-101]', async () => {
  change(task({ id: 't4', args: [{ id: 'vm4', name: 'x' }] }))
  // only the later task, which was started here, is announced
  expectTasks(undefined, { task_id: 'mine' })
  change(task({ id: 'mine' }))
  await vi.waitFor(() => expect(shown()).not.toHaveLength(0))
  expect(shown().map(({ task: of }) => of?.id)).toEqual(['mine'])
})

it('lists tasks that the user started before the page was opened, and shows them in the corner when they end [UI-101]', async () => {
  freshSession()
  setSession({ user: { id: 'u', name: 'mo', roles: [] } as never })
  const before = { id: 't6', args: [{ kind: 'server', id: 'vm6', name: 'old' }] }
  vi.stubGlobal('fetch', () =>
    Promise.resolve(Response.json({ data: [task({ ...before, progress: 10 })], pages: [], revision: 1 })),
  )
  await findRunning()
  expect(shown()).toMatchObject([{ type: 'progress', progress: 10, showBottom: false }])
  change(task({ ...before, progress: 60 }))
  await vi.waitFor(() => expect(shown()).toMatchObject([{ type: 'progress', progress: 60, showBottom: false }]))
  change(task({ ...before, state: 'success', progress: 100 }))
  await vi.waitFor(() => expect(shown()).toMatchObject([{ type: 'success', showBottom: true }]))
  vi.unstubAllGlobals()
  freshSession()
})

/** Names of all long-running tasks: engine jobs, and server jobs that users can start. */
async function taskNames(): Promise<string[]> {
  const names: string[] = [
    ...[
      'report.create',
      'report.switch_sending',
      'compute.network.delete',
      'identity.directory.import',
      'identity.project.remove',
      'management.backup.create',
    ],
    ...['object_storage.domain.enable', 'object_storage.domain.disable'],
  ]
  const memory = openMemory()
  const cloud = await openSimulatedCloud({
    memory: {
      ...memory,
      serve(...given) {
        const server = memory.serve(...given)
        const handle: typeof server.jobs.handle = (name, handler) => {
          names.push(name)
          server.jobs.handle(name, handler)
        }
        return { ...server, jobs: { handle } }
      },
    },
  })
  await cloud.close()
  return names
}

it('every task has its own titles for running, done, failed and cancelled [UI-048]', async () => {
  const names = await taskNames()
  expect(names.length).toBeGreaterThan(20)
  const t = textsNow('tasks')
  const states = ['running', 'success', 'failed', 'cancelled'] as const
  const said = new Map<string, string>()
  for (const name of names)
    for (const state of states) {
      const words = taskText(task({ name, state, args: [{ id: 'x', name: 'it' }] }), t)
      expect(words, name).not.toBe(taskText(task({ name: 'no.such.task', state, args: [{ id: 'x', name: 'it' }] }), t))
      // every title is unique
      expect(said.get(words) ?? `${name} ${state}`, words).toBe(`${name} ${state}`)
      said.set(words, `${name} ${state}`)
    }
})

it('announces the end of a long task even after a long time without updates', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  expectTasks(undefined, { id: 'slow' })
  change(task({ id: 'slow-task', args: [{ id: 'slow', name: 'slow' }] }))
  await vi.waitFor(() => expect(shown()[0]?.type).toBe('progress'))
  await vi.advanceTimersByTimeAsync(120_000)
  change(task({ id: 'slow-task', args: [{ id: 'slow', name: 'slow' }], state: 'success' }))
  await vi.waitFor(() => expect(shown()[0]?.type).toBe('success'))
  vi.useRealTimers()
})
