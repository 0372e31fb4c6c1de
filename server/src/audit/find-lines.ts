import { says, type RuleText } from '@mainstay/contract/core/said'
import { parseFilter, splitDomains, type FilterTerm } from '@mainstay/contract/core/lists/filters'
import { EXACT_COUNT_LIMIT } from '@mainstay/contract/core/lists/paging'
import { fieldProblem, problemOf } from '@mainstay/contract/core/problems'
import { isoTimeOrUtc } from '@mainstay/contract/core/times'
import {
  auditLineKind,
  type AuditFilter,
  type AuditLine,
  type AuditSortKey,
} from '@mainstay/contract/monitoring/audit-lines'
import {
  AUDIT_MAX_START,
  type AuditActivity,
  type AuditPage,
  type AuditQuery,
} from '@mainstay/contract/monitoring/audit-log'
import type { Scope } from '@mainstay/engines/ports/scope'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { Database } from '../store/schema'
import { AUDIT_TEXT } from '../store/migrations/0149-baseline/audit'
import { LINE_COLUMNS, lineOf, typeOf, type LineRow } from './line-rows'

type Condition = RawBuilder<boolean>

/** The part of a query that selects and sorts entries. */
export type LineFilters = Partial<Pick<AuditQuery, AuditFilter | 'filters.contained_text' | 'sorters' | 'after'>>

interface Sorting {
  name: string
  /** Sort expression that precedes the ID; must match the index. */
  by: RawBuilder<unknown>
  direction: RawBuilder<unknown>
  beyond: RawBuilder<unknown>
}

/** Position in the list: after the entry with this sort value (as text) and ID. */
interface Place {
  value: string
  id: number
}

interface Wanted {
  sorting: Sorting
  conditions: Condition[]
  after: Place | null
  skip: number
  limit: number
}

/** Maximum number of entries to scan in order before fetching and sorting all matches instead. */
const WALKED_LINES = 5000

// each expression must match its index
const sortedBy: Record<AuditSortKey, { by: string; cast: string }> = {
  timestamp: { by: 'started_at', cast: 'timestamptz' },
  username: { by: "coalesce(user_name, '')", cast: 'text' },
  // an activity starts with its type
  type: { by: 'action collate "C"', cast: 'text' },
  activity: { by: 'action collate "C"', cast: 'text' },
}
const wholeTexts: Partial<Record<AuditFilter, string>> = {
  user_id: 'user_id',
  domain_id: 'domain_id',
  project_id: 'project_id',
  type: "split_part(action, '.', 1)",
  activity: 'action collate "C"',
  object_id: 'subject_id',
  result: 'result',
  address: 'address',
  request_id: 'request_id',
}
const partialTexts: Partial<Record<AuditFilter, string>> = { username: 'user_name', object_name: 'subject_name' }

const refuse = (field: string, message: RuleText) => problemOf(message, { field })

const contains = (column: string, text: string): Condition =>
  sql`${sql.raw(column)} like '%' || replace(replace(replace(lower(${text}), '\\', '\\\\'), '%', '\\%'), '_', '\\_') || '%'`

/** Compares whole strings: equal to one value, equal to any of several, or not equal. */
function among(name: string, column: string, { operator, values }: FilterTerm): Condition {
  const texts = values.filter((value) => value !== null)
  const at = sql.raw(column)
  if (operator === 'not') return texts.length > 0 ? sql`${at} is distinct from ${texts[0]}` : sql`${at} is not null`
  if (operator !== 'exact' && operator !== 'in' && operator !== 'any') throw refuse(name, says('core.compared_whole'))
  const some = sql<boolean>`${at} = any(${texts}::text[])`
  return values.includes(null) ? sql`(${some} or ${at} is null)` : some
}

function timeOf(name: string, text: string): Date {
  const time = isoTimeOrUtc(text)
  if (!Number.isFinite(time)) throw refuse(name, says('core.time_form'))
  return new Date(time)
}

function conditionsOf(name: AuditFilter, text: string): Condition[] {
  if (name === 'from') return [sql`started_at >= ${timeOf(name, text)}`]
  if (name === 'to') return [sql`started_at < ${timeOf(name, text)}`]
  const part = partialTexts[name]
  const term = parseFilter(text, part ? 'contains' : 'exact')
  if (!term) return []
  if (!part) return [among(name, wholeTexts[name]!, term)]
  if (term.operator !== 'contains') return [among(name, part, term)]
  const words = term.values[0] ?? ''
  // the search text contains the column and is indexed
  return [contains(AUDIT_TEXT, words), contains(`lower(${part})`, words)]
}

/**
 * Condition for the entries visible to a scope: all for the system scope, otherwise the entries for its own domain that
 * were not caused by operators.
 */
export const linesOf = (scope: Scope): Condition | null =>
  scope.kind === 'system' ? null : sql`(domain_id = ${scope.domain_id} and scope_kind <> 'system')`

/** Whether an entry is visible to the scope. */
export const isLineOf = (scope: Scope, line: { domain_id: string | null; scope_kind: string | null }): boolean =>
  scope.kind === 'system' ||
  (line.domain_id === scope.domain_id && line.scope_kind !== null && line.scope_kind !== 'system')

function allConditions(scope: Scope, query: LineFilters): Condition[] {
  const visible = linesOf(scope)
  const filters = (Object.keys(auditLineKind.filters) as AuditFilter[]).flatMap((name) => {
    const text = query[name]
    if (text === undefined || text === '') return []
    if (name !== 'project_id') return conditionsOf(name, text)
    return splitDomains(text).flatMap(([own, part]) => conditionsOf(own, part))
  })
  const words = query['filters.contained_text']
  return [
    ...(visible ? [visible] : []),
    ...filters,
    ...(words ? [contains(AUDIT_TEXT, words)] : []),
    ...(query.after === undefined ? [] : [sql<boolean>`id > ${query.after}`]),
  ]
}

function sortingOf(asked: string | undefined): Sorting & { cast: string } {
  const [key = '', direction = 'asc', ...more] = (asked || auditLineKind.defaultSort).toLowerCase().split(':')
  if (!Object.hasOwn(sortedBy, key) || more.length > 0 || !/^(asc|desc)$/.test(direction))
    throw fieldProblem('sorters', 'core.sort', { keys: Object.keys(sortedBy).join(', ') })
  const { by, cast } = sortedBy[key as AuditSortKey]
  const isDown = direction === 'desc'
  return {
    name: `${key}:${direction}`,
    by: sql.raw(by),
    cast,
    direction: sql.raw(isDown ? 'desc' : 'asc'),
    beyond: sql.raw(isDown ? '<' : '>'),
  }
}

const writeMarker = ({ name }: Sorting, { value, id }: Place): string =>
  `a1.${Buffer.from(JSON.stringify([name, value, id])).toString('base64url')}`

/** Timestamp in PostgreSQL's text format. */
const timeText = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?[+-]\d\d(:\d\d)?$/

function readMarker({ name }: Sorting, marker: string): Place {
  const bad = () => fieldProblem('marker', 'core.foreign_marker')
  try {
    const [of, value, id] = JSON.parse(Buffer.from(marker.replace(/^a1\./, ''), 'base64url').toString()) as unknown[]
    const isPlace = of === name && typeof value === 'string' && !value.includes('\0') && Number.isSafeInteger(id)
    const isTime = !name.startsWith('timestamp:') || timeText.test(String(value))
    if (isPlace && isTime) return { value, id: id as number }
  } catch {
    throw bad()
  }
  throw bad()
}

/** Number of entries to skip. Deep pages use markers, because skipping an entry costs as much as reading it. */
function skipOf({ page, start, limit, marker }: AuditQuery): number {
  const name = start === undefined ? 'page' : 'start'
  const skip = start ?? ((page ?? 1) - 1) * limit
  if (skip > AUDIT_MAX_START) throw fieldProblem(name, 'monitoring.audit_start', { most: AUDIT_MAX_START })
  return marker === undefined ? skip : 0
}

/**
 * Current name of a project, domain, user or group that an entry references only by ID. Failed attempts get no name,
 * because the object may belong to another tenant.
 */
const SUBJECT_NAME = `coalesce(subject_name, case when result = 'success' then (
  select body ->> 'name' from resource
  where resource.kind in ('project', 'domain', 'user', 'group') and resource.id = audit.subject_id limit 1) end) as subject_name`
const columns = sql.raw(LINE_COLUMNS.replace('subject_name', SUBJECT_NAME))
type Found = LineRow & { value: string }
const toldTo = (scope: Scope, { value: _, ...row }: Found): AuditLine => lineOf(row, scope.kind === 'system')

const all = (conditions: readonly Condition[]): Condition =>
  conditions.length > 0 ? sql`${sql.join(conditions, sql` and `)}` : sql`true`

/**
 * Finds the next entries in order: first scans a limited number, and fetches and sorts all matches only if too few were
 * found.
 */
async function find(db: Kysely<Database>, wanted: Wanted & { cast: string }): Promise<Found[]> {
  const { sorting, conditions, after, skip, limit, cast } = wanted
  const { by, direction, beyond } = sorting
  const place: Condition = after
    ? sql`(${by}, id) ${beyond} (${after.value}::${sql.raw(cast)}, ${after.id})`
    : sql`true`
  const order = sql`order by ${by} ${direction}, id ${direction}`
  const withLines = (page: RawBuilder<unknown>) => sql<Found>`
    select ${columns}, (${by})::text as value from audit where id in (${page})
    order by ${by} ${direction}, audit.id ${direction}`
  const part = sql`limit ${limit} offset ${skip}`
  const walked = await withLines(
    conditions.length === 0
      ? sql`select id from audit where ${place} ${order} ${part}`
      : sql`select id from (
          select * from audit where ${place} ${order} limit ${WALKED_LINES + 2 * (skip + limit)}
        ) walked where ${all(conditions)} ${order} ${part}`,
  ).execute(db)
  if (conditions.length === 0 || walked.rows.length === limit) return walked.rows
  // `offset 0` keeps the planner from scanning in sort order
  const fetched = await withLines(
    sql`select id from (select * from audit where ${all(conditions)} offset 0) fetched where ${place} ${order} ${part}`,
  ).execute(db)
  return fetched.rows
}

/** Number of matches: exact up to a limit, estimated beyond it. */
async function count(db: Kysely<Database>, conditions: readonly Condition[]) {
  const most = EXACT_COUNT_LIMIT
  const { rows } = await sql<{ count: number; total: number }>`
    select (select count(*)::int from (select 1 from audit where ${all(conditions)} limit ${most + 1}) counted) as count,
      (select greatest(reltuples, 0)::float from pg_class where oid = 'audit'::regclass) as total`.execute(db)
  const counted = rows[0]!
  if (counted.count <= most) return { count: counted.count, count_estimated: false }
  const share = conditions.length === 0 ? 1 : await shareOf(db, conditions, counted.total)
  return { count: Math.max(counted.count, Math.round(counted.total * share)), count_estimated: true }
}

/** Approximate number of entries to sample when estimating the share of matches. */
const SAMPLED_LINES = 10_000

async function shareOf(db: Kysely<Database>, conditions: readonly Condition[], total: number): Promise<number> {
  const percent = Math.min(100, (100 * SAMPLED_LINES) / Math.max(total, 1))
  const { rows } = await sql<{ matching: number; looked: number }>`
    select (count(*) filter (where ${all(conditions)}))::int as matching, count(*)::int as looked
    from audit tablesample system (${percent}) repeatable (0)`.execute(db)
  return rows[0]!.matching / Math.max(rows[0]!.looked, 1)
}

/** Read access to the audit log. Every caller receives only the entries visible to its scope. */
export interface AuditLog {
  /** All activities that can appear in entries. */
  readonly activities: readonly AuditActivity[]
  /**
   * Returns a page of the entries that the scope can see. Throws a `validation`, `invalid_filter` or `invalid_marker`
   * error.
   */
  page(scope: Scope, query: AuditQuery): Promise<AuditPage>
  /** Returns an entry by its ID; null if the entry does not exist or is not visible to the scope. */
  line(scope: Scope, id: string): Promise<AuditLine | null>
  /** Yields entries in order, page by page, at most `most` in total. */
  lines(scope: Scope, query: LineFilters, most: number): AsyncIterable<AuditLine[]>
}

const FILE_PAGE = 1000

export function createAuditLog(db: Kysely<Database>, activities: readonly string[]): AuditLog {
  async function* pages(scope: Scope, query: LineFilters, most: number): AsyncIterable<AuditLine[]> {
    const sorting = sortingOf(query.sorters)
    const conditions = allConditions(scope, query)
    let after: Place | null = null
    for (let left = most; left > 0;) {
      const limit = Math.min(FILE_PAGE, left)
      const rows: Found[] = await find(db, { sorting, cast: sorting.cast, conditions, after, skip: 0, limit })
      if (rows.length > 0) yield rows.map((row) => toldTo(scope, row))
      const last = rows.at(-1)
      if (!last || rows.length < limit) return
      after = { value: last.value, id: Number(last.id) }
      left -= rows.length
    }
  }

  return {
    async page(scope, query) {
      const sorting = sortingOf(query.sorters)
      const conditions = allConditions(scope, query)
      const after = query.marker === undefined ? null : readMarker(sorting, query.marker)
      const { limit } = query
      const wanted = { sorting, cast: sorting.cast, conditions, after, skip: skipOf(query), limit: limit + 1 }
      const [rows, counted] = await Promise.all([
        find(db, wanted),
        query.with_count ? count(db, conditions) : undefined,
      ])
      const last = rows.length > limit ? rows[limit - 1] : undefined
      return {
        data: rows.slice(0, limit).map((row) => toldTo(scope, row)),
        pages: last ? [{ rel: 'next', marker: writeMarker(sorting, { value: last.value, id: Number(last.id) }) }] : [],
        ...counted,
      }
    },

    async line(scope, id) {
      if (!/^\d{1,18}$/.test(id)) return null
      const { rows } = await sql<Found>`
        select ${columns}, '' as value from audit where id = ${id} and ${linesOf(scope) ?? sql`true`}`.execute(db)
      return rows[0] ? toldTo(scope, rows[0]) : null
    },

    lines: pages,

    activities: activities.toSorted().map((activity) => ({ type: typeOf(activity), activity })),
  }
}
