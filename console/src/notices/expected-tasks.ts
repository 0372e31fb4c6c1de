import type { Task } from '@mainstay/contract/core/tasks'

/*
 * Which tasks were started from this page. A call knows the object it acted on, and a task names its object first among
 * its arguments; which of the two is heard of first is chance, so both wait for each other.
 */
const waitMs = 30_000
const expected = new Map<string, number>()
const seen = new Map<string, { task: Task; at: number }>()
let announce: (task: Task) => void = () => {}

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
  for (const [id, { task }] of seen) {
    if (!isExpected(task)) continue
    // told from here on as it changes; what was seen of it must not be told again later
    seen.delete(id)
    expected.set(id, Date.now())
    announce(task)
  }
}

const isExpected = (task: Task) => expected.has(task.id) || expected.has(objectOf(task) ?? '')

/** A task changed somewhere. Tells `announceTasks` of it when it was started here. */
export function taskChanged(task: Task) {
  forgetOld()
  if (isExpected(task)) {
    expected.set(task.id, Date.now())
    announce(task)
  } else seen.set(task.id, { task, at: Date.now() })
}

export function announceTasks(listener: (task: Task) => void) {
  announce = listener
}
