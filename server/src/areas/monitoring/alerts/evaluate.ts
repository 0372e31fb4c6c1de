import type { Alert, AlertEvaluation } from '@mainstay/contract/monitoring/alerts'
import { alertRuleKind, type AlertRule } from '@mainstay/contract/monitoring/alert-rules'
import type { RecordsTransaction } from '@mainstay/engines/ports/records'
import { sql, type Transaction } from 'kysely'
import * as z from 'zod'
import { job, schedule } from '../../../module'
import type { Database } from '../../../store/schema'
import { serverScope } from '../../../tasks/server-scope'
import { conditions } from './conditions'
import { decide, GAP_MS, type Decision, type Watch } from './decide'
import type { AlertTools, FoundObject, Seen } from './found'
import { tell, type Telling, type Told } from './tell'

type Evaluating = AlertTools & Telling
type RuleRow = AlertRule & { [field: string]: unknown }
type AlertRow = Alert & { [field: string]: unknown }

const KEEP_CLOSED_DAYS = 30
const BATCH = 500

/** Evaluates all rules one after another. An error in one rule does not affect other rules. */
export async function evaluateAlerts(tools: Evaluating, signal?: AbortSignal): Promise<void> {
  const { data: rules } = await tools.inventory.list<AlertRule>(alertRuleKind, serverScope, { limit: 100 })
  await endSuspensions(tools)
  for (const rule of rules) {
    if (signal?.aborted) return
    await evaluateRule(tools, rule).catch((err: unknown) =>
      tools.log.warn({ err, rule: rule.id }, 'failed to evaluate an alert rule'),
    )
  }
  await removeOld(tools)
}

/** Current time according to the database, so that servers with different clocks agree. */
const databaseNow = ({ inventory }: Evaluating): Promise<Date> =>
  inventory.transaction(
    async (_, db) => (await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)).rows[0]!.now,
  )

async function evaluateRule(tools: Evaluating, rule: AlertRule): Promise<void> {
  const began = await databaseNow(tools)
  const watched = await tools.inventory.transaction((_, db) => watchesOf(db, rule.id))
  const keys = watched.map(({ key }) => key)
  const seen: Seen | null = !rule.enabled
    ? { found: [], unknown: new Set() }
    : await conditions[rule.type](tools, rule, keys).catch((err: unknown) => {
        tools.log.warn({ err, rule: rule.id }, 'failed to read the data of an alert rule')
        return null
      })
  await tools.inventory.transaction(async (records, db, tables) => {
    if (!(await isNewest(db, rule.id, began))) return
    const kept = await records.lock<RuleRow>('alert_rule', rule.id)
    // the rule was changed during the evaluation, so the next round evaluates it
    if (!kept || kept.updated_at !== rule.updated_at) return
    await records.put('alert_rule', { ...kept, state: seen ? 'evaluated' : 'unknown' })
    if (!seen) return
    const timing = {
      now: began.getTime(),
      durationMs: rule.enabled ? rule.duration_seconds * 1000 : 0,
      isSuspended: rule.suspended,
    }
    const told = await apply(records, db, rule, decide(await watchesOf(db, rule.id), seen, timing), began)
    await tell(tools, { records, sql: tables }, rule, told)
  })
}

/** Returns false if the rule has been evaluated more recently. A delayed server must not overwrite newer results. */
async function isNewest(db: Transaction<Database>, rule: string, at: Date): Promise<boolean> {
  const { rows } = await sql`
    insert into alert_evaluation (rule, at) values (${rule}, ${at})
    on conflict (rule) do update set at = excluded.at where alert_evaluation.at < excluded.at
    returning rule`.execute(db)
  return rows.length > 0
}

/** Returns the time of the least recent rule evaluation, or null if any rule has never been evaluated. */
export async function lastEvaluation({ inventory }: Pick<Evaluating, 'inventory'>): Promise<AlertEvaluation> {
  const { rows } = await inventory.transaction((_, db) =>
    sql<{ at: Date | null; is_current: boolean }>`
      select case when bool_and(at is not null) then min(at) end as at,
        coalesce(bool_and(coalesce(at > now() - make_interval(secs => ${GAP_MS / 1000}), false)), false) as is_current
      from resource left join alert_evaluation on rule = id where kind = 'alert_rule'`.execute(db),
  )
  const { at, is_current } = rows[0]!
  return { evaluated_at: at?.toISOString() ?? null, is_current }
}

async function watchesOf(db: Transaction<Database>, rule: string): Promise<Watch[]> {
  const { rows } = await sql<{
    key: string
    since: Date
    seen_at: Date
    calm_since: Date | null
    alert_id: string | null
  }>`
    select key, since, seen_at, calm_since, alert_id from alert_watch where rule = ${rule}`.execute(db)
  return rows.map(({ key, since, seen_at, calm_since, alert_id }) => ({
    ...{ key, since: since.getTime(), seenAt: seen_at.getTime(), calmSince: calm_since?.getTime() ?? null },
    alertId: alert_id,
  }))
}

async function apply(
  records: RecordsTransaction,
  db: Transaction<Database>,
  rule: AlertRule,
  { keep, forget, raise, close }: Decision<FoundObject>,
  at: Date,
): Promise<Told> {
  const now = at.toISOString()
  await sql`delete from alert_watch where rule = ${rule.id} and key = any(${forget}::text[])`.execute(db)
  const ids = await alertIds(db, raise.length)
  const raised = raise.map(({ found, watch }, at) => alertOf(ids[at]!, rule, found, now, watch))
  const kept = [...keep, ...raise.map(({ watch }, at) => ({ ...watch, alertId: raised[at]!.id }))]
  const rows = kept.map(({ key, since, seenAt, calmSince, alertId }) => ({
    ...{ key, since: new Date(since), seen_at: new Date(seenAt) },
    ...{ calm_since: calmSince && new Date(calmSince), alert_id: alertId },
  }))
  await sql`
    insert into alert_watch (rule, key, since, seen_at, calm_since, alert_id)
    select ${rule.id}, key, since, seen_at, calm_since, alert_id from json_to_recordset(${JSON.stringify(rows)}::json)
      as watch (key text, since timestamptz, seen_at timestamptz, calm_since timestamptz, alert_id text)
    on conflict (rule, key) do update set since = excluded.since, seen_at = excluded.seen_at,
      calm_since = excluded.calm_since, alert_id = excluded.alert_id`.execute(db)
  for (const alert of raised) await records.put('alert', alert)
  const closed: Alert[] = []
  for (const id of close) {
    const alert = await records.lock<AlertRow>('alert', id)
    if (!alert) continue
    const row: AlertRow = { ...alert, state: 'closed', closed_at: now, updated_at: now }
    await records.put('alert', row)
    closed.push(row)
  }
  return { raised, closed }
}

/** Returns numeric alert IDs, as command-line clients expect them. */
async function alertIds(db: Transaction<Database>, count: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select nextval('alert_number')::text as id from generate_series(1, ${count}::int)`.execute(db)
  return rows.map(({ id }) => id)
}

function alertOf(id: string, rule: AlertRule, found: FoundObject, now: string, { since }: Watch): Alert {
  const { type, group, severity, threshold, unit, message, advice } = rule
  const { object, value, details, project_id, domain_id } = found
  return {
    ...{ id, type, group, severity, threshold, unit, message, advice, details, project_id, domain_id },
    ...{ state: 'raised', enabled: true, suspended: false, suspended_until: null, closed_at: null },
    ...{ object_kind: object.kind, object_id: object.id, object_name: object.name, object_part: object.part },
    value: value === null ? null : Math.round(value * 10) / 10,
    datetime: new Date(since).toISOString(),
    ...{ created_at: now, updated_at: now },
  }
}

/** Ends suspensions that have expired. */
async function endSuspensions({ inventory }: Evaluating): Promise<void> {
  await inventory.transaction(async (records, db) => {
    const { rows } = await sql<{ kind: string; id: string }>`
      select kind, id from resource where kind in ('alert', 'alert_rule') and body ->> 'suspended' = 'true'
        and (body ->> 'suspended_until')::timestamptz <= now() limit ${BATCH}`.execute(db)
    for (const { kind, id } of rows) {
      const row = await records.lock<RuleRow>(kind, id)
      const updated_at = new Date().toISOString()
      if (row) await records.put(kind, { ...row, suspended: false, suspended_until: null, updated_at })
    }
  })
}

async function removeOld({ inventory }: Evaluating): Promise<void> {
  await inventory.transaction(async (records, db) => {
    const { rows } = await sql<{ id: string }>`
      select id from resource where kind = 'alert' and status = 'closed'
        and updated_at < now() - make_interval(days => ${KEEP_CLOSED_DAYS}) limit ${BATCH}`.execute(db)
    for (const { id } of rows) await records.remove('alert', id)
  })
}

/** Evaluates all rules every minute on one of the servers. If that server dies, another one takes over. */
export const alertEvaluation = schedule({
  name: 'alerts.evaluate',
  job: job({
    name: 'alerts.evaluate',
    args: z.strictObject({}),
    pool: 'bulk',
    run: ({ signal }, tools) => evaluateAlerts(tools, signal),
  }),
  plan: { cron: '* * * * *', time_zone: 'UTC', jitter_seconds: 0, missed: 'once' },
  // show existing problems immediately
  runsAtStart: true,
})
