import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Task } from '@mainstay/contract/core/tasks'
import { publishChange } from './changes'
import { pollMs } from './live-state'
import { isCancelled } from './problem'
import { waitForTask } from './wait-for-task'

const task = (state: Task['state'], error: string | null = null) => ({ id: 't', state, error }) as unknown as Task
let known: Task

beforeEach(() => {
  vi.useFakeTimers()
  known = task('running')
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(JSON.stringify({ data: [known], pages: [], revision: 1 }))))
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const hear = (entity: Task, id = 't') =>
  publishChange({
    revision: 1,
    kind: 'task',
    id,
    op: 'put',
    project_id: null,
    domain_id: null,
    at: '',
    entity,
  })

/** Tracks whether and how a promise has settled. */
function outcome(waiting: Promise<Task>) {
  const seen: { state: string; value?: unknown } = { state: 'waiting' }
  waiting.then(
    (value) => Object.assign(seen, { state: 'resolved', value }),
    (value: unknown) => Object.assign(seen, { state: 'rejected', value }),
  )
  return seen
}
const aMoment = () => vi.advanceTimersByTimeAsync(0)

it('waits until the task has finished and resolves when it succeeds [ST-025]', async () => {
  const seen = outcome(waitForTask('t'))
  hear(task('cancelling'))
  hear(task('success'), 'another')
  await aMoment()
  expect(seen.state).toBe('waiting')
  hear(task('success'))
  await aMoment()
  expect(seen).toMatchObject({ state: 'resolved', value: { id: 't', state: 'success' } })
})

it('rejects with the task’s error when it fails [ST-026]', async () => {
  const seen = outcome(waitForTask('t'))
  hear(task('failed', 'No host has room'))
  await aMoment()
  expect(seen).toMatchObject({ state: 'rejected', value: { message: 'No host has room' } })
})

it('rejects as cancelled, not as failed, when the task is cancelled [ST-027]', async () => {
  const seen = outcome(waitForTask('t'))
  hear(task('cancelled'))
  await aMoment()
  expect(seen.state).toBe('rejected')
  expect(isCancelled(seen.value)).toBe(true)
})

it('polls in case no socket events arrive, and stops when the task has finished', async () => {
  const seen = outcome(waitForTask('t'))
  known = task('success')
  await vi.advanceTimersByTimeAsync(pollMs)
  expect(seen.state).toBe('resolved')
  expect(vi.getTimerCount()).toBe(0)
})

it('settles immediately for a task that has already finished', async () => {
  known = task('failed', 'too late')
  const seen = outcome(waitForTask('t'))
  await aMoment()
  expect(seen).toMatchObject({ state: 'rejected', value: { message: 'too late' } })
})
