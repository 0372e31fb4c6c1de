import { instanceKind, type InstanceEvent } from '@mainstay/contract/compute/instances'
import { taskIsOver, taskKind, type Task } from '@mainstay/contract/core/tasks'
import { notFound, fieldProblem } from '@mainstay/contract/core/problems'
import type { Page, PageQuery } from '@mainstay/contract/core/lists/paging'
import type { Scope } from '@mainstay/engines/ports/scope'
import { asEvent, type AuditRow, type Outcome } from '../../audit/audit'
import type { Tools } from '../../tools'

type Needs = Pick<Tools, 'inventory' | 'audit'>

/** Number of recent tasks that are searched for the outcomes of the calls on a page. */
const MAX_TASKS = 200

/** The state of a task and, if it has finished, its outcome. */
export const outcomeOf = (task: Task): Outcome => ({
  state: !taskIsOver(task.state) ? 'running' : task.state === 'success' ? 'success' : 'error',
  message: task.error,
  finished_at: task.finished_at,
})

/** Finds the task that a call started, by the request ID that both share. */
const taskOf = (row: AuditRow, tasks: Task[]): Task | undefined =>
  tasks.find(({ request_id }) => request_id === row.request_id)

const ID = /^\d{1,18}$/

/** Converts audit log entries for an instance to events. If a call started a task, its event has the task's outcome. */
export async function asEvents({ inventory }: Pick<Needs, 'inventory'>, scope: Scope, id: string, rows: AuditRow[]) {
  const tasks = await inventory.list<Task>(taskKind, scope, {
    ...{ limit: MAX_TASKS, sort: 'created_at:desc', subject_id: id },
  })
  return rows.map((row) => {
    const task = taskOf(row, tasks.data)
    return asEvent(row, id, task && outcomeOf(task), scope)
  })
}

/** Lists the events of an instance, newest first. */
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

/** Returns an event of an instance by its event ID or request ID. Throws `not_found`. */
export async function oneOfHistory(tools: Needs, scope: Scope, id: string, eventId: string): Promise<InstanceEvent> {
  await tools.inventory.view(instanceKind, scope, id)
  const subject = { kind: instanceKind.name, id }
  const byId = ID.test(eventId) ? await tools.audit.of(subject, 1, String(BigInt(eventId) + 1n)) : []
  // a request ID can also be a number
  const rows = byId[0]?.id === eventId ? byId : await tools.audit.of(subject, 1, null, eventId)
  if (rows.length === 0) throw notFound()
  const [event] = await asEvents(tools, scope, id, rows)
  return event!
}
