import { instanceKind, type InstanceEvent } from '@mainstay/contract/compute/instances'
import { taskIsOver, taskKind, type Task } from '@mainstay/contract/core/tasks'
import { Problem } from '@mainstay/contract/core/problems'
import type { Page, PageQuery } from '@mainstay/contract/core/paging'
import type { Scope } from '@mainstay/engines/ports/scope'
import { asEvent, type AuditRow, type Outcome } from '../../audit/audit'
import type { Tools } from '../../tools'

type Needs = Pick<Tools, 'inventory' | 'audit'>

/** Tasks looked through for the end of what the page's calls began. */
const MAX_TASKS = 200

const outcomeOf = (task: Task): Outcome => ({
  state: !taskIsOver(task.state) ? 'running' : task.state === 'success' ? 'success' : 'error',
  message: task.error,
  finished_at: task.finished_at,
})

/** The task that a call began: both name its request. */
const taskOf = (row: AuditRow, tasks: Task[]): Task | undefined =>
  tasks.find(({ request_id }) => request_id === row.request_id)

/** What was done to an instance, newest first: the audit log, with the end of what only began then. */
export async function history(
  { inventory, audit }: Needs,
  scope: Scope,
  id: string,
  query: PageQuery,
): Promise<Page<InstanceEvent>> {
  await inventory.view(instanceKind, scope, id)
  const { limit, marker } = query
  if (marker !== undefined && !/^\d{1,18}$/.test(marker))
    throw new Problem('invalid_marker', 'This marker is of no page', {
      fields: { marker: ['This marker is of no page'] },
    })
  const subject = { kind: instanceKind.name, id }
  const [rows, tasks, revision, count] = await Promise.all([
    audit.of(subject, limit + 1, marker ?? null),
    inventory.list<Task>(taskKind, scope, { limit: MAX_TASKS, sort: 'created_at:desc', subject_id: id }),
    inventory.revision(),
    query.with_count ? audit.count(subject) : undefined,
  ])
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    data: shown.map((row) => {
      const task = taskOf(row, tasks.data)
      return asEvent(row, task && outcomeOf(task))
    }),
    pages: rows.length > limit && last ? [{ rel: 'next', marker: last.id }] : [],
    count,
    revision,
  }
}
