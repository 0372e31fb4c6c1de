import { taskIsOver, type Task } from '@mainstay/contract/core/tasks'
import { onChange } from '../api/changes'

/*
 * Which tasks were started from this page. A call knows the object it acted on, and a task names its object first among
 * its arguments; which of the two is heard of first is chance, so both wait for each other.
 */
const waitMs = 30_000
const expected = new Map<string, number>()
const seen = new Map<string, { task: Task; at: number }>()
/** Told of, and not over: their end is told however long it takes. */
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

/** A call of this page succeeded: tasks on what it named, or that it started, are the person's own. */
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
    // told from here on as it changes; what was seen of it must not be told again later
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

/** What a run does to an object is told by the run, also where the object was just worked on here. */
const isExpected = (task: Task) =>
  task.flow === null && (going.has(task.id) || expected.has(task.id) || expected.has(objectOf(task) ?? ''))

/** A task changed somewhere. Tells `announceTasks` of it when it was started here. */
export function taskChanged(task: Task) {
  forgetOld()
  if (announce && isExpected(task)) tell(task)
  else seen.set(task.id, { task, at: Date.now() })
}

/** Hears of the person's own tasks, also of those that changed before anybody listened. */
export function announceTasks(listener: (task: Task) => void) {
  announce = listener
  tellSeen()
}

/** Hears of all tasks from the socket. Gives back how to end it. */
export const followTaskChanges = () =>
  onChange('task', ({ entity }) => {
    if (entity) taskChanged(entity as unknown as Task)
  })

/** Whoever comes next started none of these. */
export function forgetTasks() {
  for (const known of [expected, seen, going]) known.clear()
}
