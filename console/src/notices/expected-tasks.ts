import { taskIsOver, type Task } from '@mainstay/contract/core/tasks'
import { onChange } from '../api/changes'

/*
 * Detects tasks that were started from this page. A call identifies the object it acted on, and a task identifies its
 * object in its first argument. The two can arrive in either order, so each waits for the other.
 */
const waitMs = 30_000
const expected = new Map<string, number>()
const seen = new Map<string, { task: Task; at: number }>()
/** Announced tasks that are still running. They stay expected until they finish, however long that takes. */
const going = new Set<string>()
let announce: ((task: Task) => void) | undefined

const objectOf = (task: Task): string | undefined => {
  const [first] = task.args
  const id = typeof first === 'object' && first !== null ? (first as { id?: unknown }).id : first
  return typeof id === 'string' ? id : undefined
}

function forgetOld() {
  const limit = Date.now() - waitMs
  for (const [id, at] of expected) if (at < limit) expected.delete(id)
  for (const [id, { at }] of seen) if (at < limit) seen.delete(id)
}

/** Records a successful call. Tasks on its objects, and tasks that it started, count as started from this page. */
export function expectTasks(params: Readonly<Record<string, string>> | undefined, reply: unknown) {
  forgetOld()
  const answered =
    typeof reply === 'object' && reply !== null
      ? (reply as { id?: unknown; task_id?: unknown; created_ids?: unknown })
      : {}
  const created = Array.isArray(answered.created_ids) ? answered.created_ids : []
  const ids = [...Object.values(params ?? {}), answered.id, answered.task_id, ...created]
  for (const id of ids) {
    if (typeof id !== 'string') continue
    expected.set(id, Date.now())
  }
  tellSeen()
}

function tellSeen() {
  for (const [id, { task }] of seen) {
    if (!announce || !isExpected(task)) continue
    // from here on each change is announced; the earlier state must not be announced again
    seen.delete(id)
    tell(task)
  }
}

function tell(task: Task) {
  expected.set(task.id, Date.now())
  if (taskIsOver(task.state)) going.delete(task.id)
  else going.add(task.id)
  announce?.(task)
}

/**
 * A task in a bulk run is not announced, even if its object was just changed here: the run itself is announced instead.
 */
const isExpected = (task: Task) =>
  task.flow === null && (going.has(task.id) || expected.has(task.id) || expected.has(objectOf(task) ?? ''))

/** Handles a change to any task and announces it if the task was started from this page. */
export function taskChanged(task: Task) {
  forgetOld()
  if (announce && isExpected(task)) tell(task)
  else seen.set(task.id, { task, at: Date.now() })
}

/** Sets the listener for tasks started from this page. It also receives tasks that changed before this call. */
export function announceTasks(listener: (task: Task) => void) {
  announce = listener
  tellSeen()
}

/** Follows all task changes from the socket. Returns a function to unsubscribe. */
export const followTaskChanges = () =>
  onChange('task', ({ entity }) => {
    if (entity) taskChanged(entity as unknown as Task)
  })

/** Forgets all tasks, because the next user did not start any of them. */
export function forgetTasks() {
  for (const known of [expected, seen, going]) known.clear()
}
