import { instanceKind, type InstanceEvent } from '@mainstay/contract/compute/instances'
import { taskIsOver, taskKind, type Task } from '@mainstay/contract/core/tasks'
import { notFound, fieldProblem } from '@mainstay/contract/core/problems'
import type { Page, PageQuery } from '@mainstay/contract/core/lists/paging'
import type { Scope } from '@mainstay/engines/ports/scope'
import { asEvent, type AuditRow, type Outcome } from '../../audit/audit'
import type { Tools } from '../../tools'

type Needs = Pick<Tools, 'inventory' | 'audit'>

/** Number of recent tasks searched for the outcome of a page's calls. */
const MAX_TASKS = 200

/** State of a task, and its outcome once it is over. */
export const outcomeOf = (task: Task): Outcome => ({
  state: !taskIsOver(task.state) ? 'running' : task.state === 'success' ? 'success' : 'error',
  message: task.error,
  finished_at: task.finished_at,
})

/** The task that a call started: both have its request ID. */
const taskOf = (row: AuditRow, tasks: Task[]): Task | undefined =>
  tasks.find(({ request_id }) => request_id === row.request_id)

const ID = /^\d{1,18}$/

/** Audit lines of an instance as events; a call that started a task has the outcome of the task. */
export async function asEvents({ inventory }: Pick<Needs, 'inventory'>, scope: Scope, id: string, rows: AuditRow[]) {
  const tasks = await inventory.list<Task>(taskKind, scope, {
    ...{ limit: MAX_TASKS, sort: 'created_at:desc', subject_id: id },
  })
  return rows.map((row) => {
    const task = taskOf(row, tasks.data)
    return asEvent(row, id, task && outcomeOf(task), scope)
  })
}

/** Events of an instance, newest first. */
export async function history(tools: Needs, scope: Scope, id: string, query: PageQuery): Promise<Page<InstanceEvent>> {
  const { inventory, audit } = tools
  await inventory.view(instanceKind, scope, id)
  const { limit, marker } = query
  if (marker !== undefined && !ID.test(marker)) throw fieldProblem('marker', 'core.marker_of_no_page')
  const subject = { kind: instanceKind.name, id }
  const [rows, revision, count] = await Promise.all([
    audit.of(subject, limit + 1, marker ?? null),
    inventory.revision(),
    query.with_count ? audit.count(subject) : undefined,
  ])
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    data: await asEvents(tools, scope, id, shown),
    pages: rows.length > limit && last ? [{ rel: 'next', marker: last.id }] : [],
    count,
    revision,
  }
}

/** An event of an instance, by event ID or request ID. Throws `not_found`. */
export async function oneOfHistory(tools: Needs, scope: Scope, id: string, eventId: string): Promise<InstanceEvent> {
  await tools.inventory.view(instanceKind, scope, id)
  const subject = { kind: instanceKind.name, id }
  const byId = ID.test(eventId) ? await tools.audit.of(subject, 1, String(BigInt(eventId) + 1n)) : []
  // a request ID can be a number too
  const rows = byId[0]?.id === eventId ? byId : await tools.audit.of(subject, 1, null, eventId)
  if (rows.length === 0) throw notFound()
  const [event] = await asEvents(tools, scope, id, rows)
  return event!
}
