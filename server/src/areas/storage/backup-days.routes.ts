import { instanceKind, type Instance } from '@mainstay/contract/compute/instances'
import { dayAfter, daysFrom, startOfDay } from '@mainstay/contract/storage/local-days'
import {
  backupDays,
  MOST_PROTECTED_MACHINES,
  pointFilters,
  type MachineDay,
  type MachineDays,
  type MachineDaysQuery,
  type PointDay,
  type PointDaysQuery,
} from '@mainstay/contract/storage/backup-days'
import { restorableStatuses } from '@mainstay/contract/storage/backup-rules'
import { volumeBackupKind } from '@mainstay/contract/storage/volume-backups'
import { volumeKind, type Volume } from '@mainstay/contract/storage/volumes'
import type { Scope } from '@mainstay/engines/ports/scope'
import { sql } from 'kysely'
import { everyRow } from '../../http/rows/every-row'
import { serve } from '../../http/serve'
import type { VisibleRows } from '../../inventory/types'
import type { Tools } from '../../tools'

/** Entries of one answer about days. */
const MOST_ENTRIES = 1000
/** Rows that are read at once by their IDs. */
const AT_ONCE = 1000

interface Days {
  days: string[]
  /** When each day begins, and when the last one ends. */
  bounds: number[]
}
function daysOf({ from, to, zone }: { from: string; to: string; zone: string }): Days {
  const days = Array.from({ length: daysFrom(from, to) + 1 }, (_, index) => dayAfter(from, index))
  return { days, bounds: [...days, dayAfter(to)].map((day) => startOfDay(day, zone)) }
}

/** What is counted of recovery points, as conditions on a row. */
function conditionsOf({ column }: VisibleRows) {
  const damaged = sql`(${column('damaged_by')} is not null)`
  return {
    restorable: sql`(${column('status')} = any(${restorableStatuses}::text[]) and not ${damaged})`,
    failed: sql`(${column('status')} = 'error')`,
    damaged,
  }
}

/** The filters of a query that have a value. */
const filtersIn = (query: PointDaysQuery | MachineDaysQuery): Record<string, string> =>
  Object.fromEntries(pointFilters.flatMap((name) => (query[name] ? [[name, query[name]]] : [])))

const isoTime = (milliseconds: number): string => new Date(milliseconds).toISOString()

export const backupDayRoutes = serve(
  backupDays,
  {
    days: ({ scope, query }, tools) => pointDays(tools, scope, query),
    machineDays: ({ scope, query }, tools) => machineDays(tools, scope, query),
  },
  { kind: volumeBackupKind },
)

/** Counts the recovery points that a scope can see by the days of a time zone. */
async function pointDays({ inventory }: Tools, scope: Scope, query: PointDaysQuery) {
  const { days, bounds } = daysOf(query)
  interface Counted extends Omit<PointDay, 'day' | 'first_at' | 'last_at'> {
    bucket: number
    first: number
    last: number
  }
  const count = (visible: VisibleRows) => {
    const { from, column } = visible
    const { restorable, failed, damaged } = conditionsOf(visible)
    const at = column('taken_at')
    const plan = query.by === 'plan' ? column('backup_plan_id') : sql`null::text`
    const planName = query.by === 'plan' ? sql`max(${column('backup_plan_name')})` : sql`null::text`
    return sql<Counted>`
      select width_bucket(${at}, ${bounds}::double precision[]) as bucket, ${plan} as backup_plan_id,
        ${planName} as backup_plan_name, count(*) as points,
        count(*) filter (where ${restorable}) as restorable, count(*) filter (where ${failed}) as failed,
        count(*) filter (where ${damaged}) as damaged, coalesce(sum(${column('stored_size')}), 0) as stored_size,
        min(${at}) as first, max(${at}) as last
      from ${from} where ${at} >= ${bounds[0]} and ${at} < ${bounds.at(-1)}
      group by 1, 2 order by 1, first, 2 limit ${MOST_ENTRIES}`
  }
  const rows = await inventory.aggregate(volumeBackupKind, scope, count, {
    ...filtersIn(query),
    search: query.search,
  })
  return {
    zone: query.zone,
    days: rows.map(({ bucket, first, last, ...counted }) => ({
      ...{ day: days[bucket - 1]!, ...counted },
      ...{ first_at: isoTime(first), last_at: isoTime(last) },
    })),
  }
}

/** For each virtual machine that a scope can see, on which days it was captured completely. */
async function machineDays(tools: Tools, scope: Scope, query: MachineDaysQuery) {
  const { sort, limit, offset, search, zone } = query
  const { project_id, ...filters } = filtersIn(query)
  const machines = await everyRow<Instance>(tools, instanceKind, scope, {
    ...{ most: MOST_PROTECTED_MACHINES, sort: 'name:asc' },
    ...(search !== undefined && search !== '' && { search }),
    ...(project_id !== undefined && { project_id }),
  })
  const withVolumes = machines.rows.filter(({ volumes }) => volumes.length > 0)
  const chosen = await havingPoints(tools, scope, withVolumes, filters)
  const judged = await judge(tools, scope, chosen, daysOf(query))
  // the machines are in the order of their names, which is kept among those of the same rank
  const sorted = sort === 'trouble' ? judged.toSorted((one, other) => rankOf(other) - rankOf(one)) : judged
  return {
    ...{ zone, data: sorted.slice(offset, offset + limit), total: judged.length },
    truncated: machines.truncated,
  }
}

/** The virtual machines that have a recovery point which matches the filters; all of them if there are no filters. */
async function havingPoints(
  { inventory }: Tools,
  scope: Scope,
  machines: Instance[],
  filters: Record<string, string>,
): Promise<Instance[]> {
  if (Object.keys(filters).length === 0) return machines
  const ids = machines.map(({ id }) => id)
  const find = ({ from, column }: VisibleRows) => sql<{ machine: string }>`
    select distinct ${column('server_id')} as machine from ${from}
    where ${column('server_id')} = any(${ids}::text[])`
  const found = await inventory.aggregate(volumeBackupKind, scope, find, filters)
  const matching = new Set(found.map(({ machine }) => machine))
  return machines.filter(({ id }) => matching.has(id))
}

/** How much a virtual machine needs attention. The days with trouble count less than a machine without a last point. */
function rankOf({ last_whole_at, days }: MachineDays): number {
  if (last_whole_at === null) return 1000
  const troubled = days.filter(({ state }) => state !== 'whole').length
  const last = days.at(-1)
  return last && last.state !== 'whole' ? 100 + troubled : troubled
}

interface Judged extends Omit<MachineDay, 'day' | 'state'> {
  machine: string
  bucket: number
  whole: boolean
  whole_at: number | null
}

async function judge(tools: Tools, scope: Scope, machines: Instance[], { days, bounds }: Days): Promise<MachineDays[]> {
  const created = await creationOf(tools, scope, machines)
  const attached = machines.flatMap((machine) => machine.volumes.map(({ id }) => ({ machine: machine.id, id })))
  const rows = await tools.inventory.aggregate<Judged>(volumeBackupKind, scope, (visible) => {
    const { from, column } = visible
    const { restorable, failed, damaged } = conditionsOf(visible)
    return sql<Judged>`
      with volume as (
        select * from unnest(${attached.map((it) => it.machine)}::text[],
          ${attached.map(({ id }) => created.get(id) ?? 0)}::double precision[]) as volume (machine, created)
      ), instant as (
        select ${column('server_id')} as machine, ${column('instant_id')} as instant, max(${column('taken_at')}) as at,
          count(*) as points, count(*) filter (where ${restorable}) as restorable,
          count(*) filter (where ${failed}) as failed, count(*) filter (where ${damaged}) as damaged,
          (array_agg(id order by ${damaged} desc, ${failed} desc, id))[1] as point_id
        from ${from} where ${column('server_id')} = any(${machines.map(({ id }) => id)}::text[])
        group by 1, 2
      ), expected as (
        select machine, instant, count(volume.created) as volumes
        from instant left join volume using (machine) where volume.created <= at group by 1, 2
      ), judged as (
        select instant.*, restorable > 0 and restorable = points and restorable >= coalesce(volumes, 0) as whole
        from instant left join expected using (machine, instant)
      )
      select machine, width_bucket(at, ${bounds}::double precision[]) as bucket, bool_or(whole) as whole,
        max(at) filter (where whole) as whole_at, sum(points)::bigint as points,
        sum(restorable)::bigint as restorable, sum(failed)::bigint as failed, sum(damaged)::bigint as damaged,
        (array_agg(point_id order by damaged > 0 desc, failed > 0 desc, at desc))[1] as point_id
      from judged group by 1, 2 order by 1, 2`
  })
  const byMachine = new Map<string, Judged[]>()
  for (const row of rows) byMachine.set(row.machine, [...(byMachine.get(row.machine) ?? []), row])
  return machines.map(({ id, name, volumes }) => {
    const own = byMachine.get(id) ?? []
    const wholeAt = Math.max(...own.map(({ whole_at }) => whole_at ?? -Infinity))
    return {
      ...{ id, name, volumes_count: volumes.length },
      last_whole_at: Number.isFinite(wholeAt) ? isoTime(wholeAt) : null,
      days: own.flatMap(({ bucket, machine: _, whole, whole_at: __, ...counted }) => {
        const day = days[bucket - 1]
        return day === undefined ? [] : [{ day, state: stateOf(counted, whole), ...counted }]
      }),
    }
  })
}

function stateOf({ restorable, failed, damaged }: Omit<MachineDay, 'day' | 'state'>, whole: boolean) {
  if (damaged > 0) return 'damaged'
  if (whole) return 'whole'
  return restorable === 0 && failed > 0 ? 'failed' : 'part'
}

/** When the volumes of virtual machines were created, in milliseconds since 1970, by their ID. */
async function creationOf({ inventory }: Tools, scope: Scope, machines: Instance[]): Promise<Map<string, number>> {
  const ids = [...new Set(machines.flatMap(({ volumes }) => volumes.map(({ id }) => id)))]
  const created = new Map<string, number>()
  for (let at = 0; at < ids.length; at += AT_ONCE)
    for (const { id, created_at } of await inventory.several<Volume>(volumeKind, scope, ids.slice(at, at + AT_ONCE)))
      created.set(id, Date.parse(created_at))
  return created
}
