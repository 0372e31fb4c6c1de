import { instanceKind, type TimelineEntry, type TimelinePage } from '@mainstay/contract/compute/instances'
import type { TimelineQuery } from '@mainstay/contract/compute/instance-timeline'
import { fieldProblem } from '@mainstay/contract/core/problems'
import { taskKind, type Task } from '@mainstay/contract/core/tasks'
import { alertKind, alerts, type Alert } from '@mainstay/contract/monitoring/alerts'
import { auditLog } from '@mainstay/contract/monitoring/audit-log'
import * as z from 'zod'
import type { AuditRow, AuditSource } from '../../audit/audit'
import { isLineOf } from '../../audit/find-lines'
import { mayCall, type SignedIn } from '../../session/signed-in'
import type { Tools } from '../../tools'
import { asEvents, outcomeOf } from './instance-history.service'

type Needs = Pick<Tools, 'inventory' | 'audit'>
type Caller = Pick<SignedIn, 'scope' | 'grants'>

const Id = z.string().max(64).nullable()
/** End of a page: the last entry taken from each source, and the time of the last entry on the page. */
const Place = z.object({
  at: z.iso.datetime(),
  call: z
    .string()
    .regex(/^\d{1,18}$/)
    .nullable(),
  task: Id,
  alert: Id,
})
type Place = z.infer<typeof Place>

function readPlace(marker: string): Place {
  try {
    return Place.parse(JSON.parse(Buffer.from(marker, 'base64url').toString()))
  } catch {
    throw fieldProblem('before', 'core.marker_of_no_page')
  }
}
const writePlace = (place: Place): string => Buffer.from(JSON.stringify(place)).toString('base64url')

/** An entry from one of the sources, each of which is sorted newest first. */
type Found = { at: string; id: string } & (
  | { source: 'call'; row: AuditRow }
  | { source: 'task'; row: Task }
  | { source: 'alert'; row: Alert }
)

/**
 * Merges sorted lists into the `limit` newest entries. Preserves the order of each list, so that the next page can
 * continue from a position in each of them.
 */
function latest(lists: readonly (readonly Found[])[], limit: number): Found[] {
  const heads = lists.map(() => 0)
  const taken: Found[] = []
  while (taken.length < limit) {
    let next: { list: number; found: Found } | undefined
    for (const [list, at] of heads.entries()) {
      const found = lists[list]![at]
      if (found && (!next || found.at > next.found.at)) next = { list, found }
    }
    if (!next) break
    heads[next.list]! += 1
    taken.push(next.found)
  }
  return taken
}

/**
 * Drops entries that were added after the first page was read. Needed only for sources without entries on earlier
 * pages: they have no marker and are read from the start.
 */
function withoutNews(list: readonly Found[], place: Place): readonly Found[] {
  const first = list[0]
  if (!first || place[first.source] !== null) return list
  const begin = list.findIndex(({ at }) => at <= place.at)
  return begin === -1 ? [] : list.slice(begin)
}

/**
 * Returns the timeline of an instance, newest first: calls with their changes, alerts, and tasks that were not started
 * by a call on this instance. Throws `not_found` and `invalid_marker`.
 */
export async function timeline(
  tools: Needs,
  caller: Caller,
  id: string,
  { before, limit }: TimelineQuery,
): Promise<TimelinePage> {
  const { inventory, audit } = tools
  const { scope, grants } = caller
  await inventory.view(instanceKind, scope, id)
  const place = before === undefined ? null : readPlace(before)
  const page = (marker: string | null | undefined) => ({ limit: limit + 1, ...(marker && { marker }) })
  const [calls, tasks, raised] = await Promise.all([
    audit.of({ kind: instanceKind.name, id }, limit + 1, place?.call ?? null),
    inventory.list<Task>(taskKind, scope, { ...page(place?.task), sort: 'created_at:desc', subject_id: id }),
    mayCall(grants, alerts.list.needs)
      ? inventory.list<Alert>(alertKind, scope, {
          ...page(place?.alert),
          sort: 'datetime:desc',
          object_kind: instanceKind.name,
          object_id: id,
        })
      : { data: [] },
  ])
  const lists: Found[][] = [
    calls.map((row) => ({ source: 'call', at: row.started_at.toISOString(), id: row.id, row })),
    tasks.data.map((row) => ({ source: 'task', at: row.created_at, id: row.id, row })),
    raised.data.map((row) => ({ source: 'alert', at: row.datetime, id: row.id, row })),
  ]
  const known = lists.map((list) => (place ? withoutNews(list, place) : list))
  const shown = latest(known, limit)
  const last = shown.at(-1)
  const hasMore = known.reduce((sum, { length }) => sum + length, 0) > shown.length
  const lastOf = (source: Found['source']) =>
    shown.findLast((it) => it.source === source)?.id ?? place?.[source] ?? null
  const next = { at: last?.at ?? '', call: lastOf('call'), task: lastOf('task'), alert: lastOf('alert') }
  return {
    data: await asEntries(tools, caller, id, shown),
    pages: last && hasMore ? [{ rel: 'next', marker: writePlace(next) }] : [],
  }
}

async function asEntries(
  tools: Needs,
  { scope, grants }: Caller,
  id: string,
  shown: Found[],
): Promise<TimelineEntry[]> {
  const rows = shown.flatMap((it) => (it.source === 'call' ? [it.row] : []))
  const requests = shown.flatMap((it) => (it.source === 'task' && it.row.request_id ? [it.row.request_id] : []))
  const [events, lines] = await Promise.all([asEvents(tools, scope, id, rows), tools.audit.ofRequests(requests)])
  const mayReadLog = mayCall(grants, auditLog.list.needs)
  const addressOf = (line: AuditSource) => (mayReadLog && isLineOf(scope, line) ? line.address : null)

  return shown.flatMap((it): TimelineEntry[] => {
    const entry = { id: `${it.source}:${it.id}`, source: it.source, at: it.at }
    switch (it.source) {
      case 'call': {
        const event = events.find((one) => one.id === it.id)!
        const { action: name, finished_at, result, message, user_id, user_name, request_id, changes } = event
        const who = { user_id, user_name, address: addressOf(it.row), request_id }
        return [{ ...entry, name, finished_at, result, message, severity: null, ...who, changes }]
      }
      case 'task': {
        const { name, user_id, request_id = null } = it.row
        const begun = lines.filter((line) => line.request_id === request_id)
        // the call has its own entry, which includes the outcome of this task
        if (begun.some((line) => line.subject_kind === instanceKind.name && line.subject_id === id)) return []
        const { state: result, ...outcome } = outcomeOf(it.row)
        const by = begun[0]
        const who = { user_id, user_name: by?.user_name ?? null, address: by ? addressOf(by) : null, request_id }
        return [{ ...entry, name, ...outcome, result, severity: null, ...who, changes: [] }]
      }
      case 'alert': {
        const { type: name, closed_at: finished_at, state, details: message, severity } = it.row
        const result = state === 'closed' ? 'success' : 'running'
        const nobody = { user_id: null, user_name: null, address: null, request_id: null }
        return [{ ...entry, name, finished_at, result, message, severity, ...nobody, changes: [] }]
      }
    }
  })
}
