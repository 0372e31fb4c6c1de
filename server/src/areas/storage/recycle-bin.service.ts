import { DEFAULT_RECYCLE_DAYS, RecycleBinSettings } from '@mainstay/contract/settings/recycle-bin'
import { recycledItemKind, type PermanentQuery, type RecycledItem } from '@mainstay/contract/storage/recycle-bin'
import { Problem, fieldProblem } from '@mainstay/contract/core/problems'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { RecycleHow } from '@mainstay/engines/ports/storage'
import { sql } from 'kysely'
import * as z from 'zod'
import { job, schedule } from '../../module'
import type { Setting } from '../../settings/settings'
import { serverScope } from '../../tasks/server-scope'
import type { Tools } from '../../tools'

const DAY_MS = 24 * 60 * 60 * 1000
/** Maximum number of items whose deletion is started in one run. The next run continues. */
const BATCH = 200

export const recycleBinSetting: Setting<RecycleBinSettings> = { name: 'recycle_bin', shape: RecycleBinSettings }

/** Retention in days as set by operators, which does not depend on whether the engine has a recycle bin. */
export const daysSet = async ({ settings }: Pick<Tools, 'settings'>): Promise<number> =>
  (await settings.read(recycleBinSetting))?.value.days ?? DEFAULT_RECYCLE_DAYS

/** Number of days for which deleted objects can be restored, or 0 if deletion is permanent. */
export const recycleDays = async (tools: Pick<Tools, 'settings' | 'capabilities'>): Promise<number> =>
  tools.capabilities.compute.recycle_bin ? daysSet(tools) : 0

/** Current time according to the database, so that servers with different clocks agree. */
const databaseNow = ({ inventory }: Pick<Tools, 'inventory'>): Promise<Date> =>
  inventory.transaction(
    async (_, db) => (await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)).rows[0]!.now,
  )

/**
 * Returns the deletion and expiry times of an object that is moved to the recycle bin, or null if it is to be deleted
 * permanently. The expiry time does not change if the retention is changed later.
 */
export async function recycling(
  tools: Pick<Tools, 'settings' | 'capabilities' | 'inventory'>,
  { permanent }: z.output<typeof PermanentQuery>,
): Promise<RecycleHow | null> {
  const days = permanent === 'true' ? 0 : await recycleDays(tools)
  if (days === 0) return null
  const now = await databaseNow(tools)
  return { deleted_at: now.toISOString(), expires_at: new Date(now.getTime() + days * DAY_MS).toISOString() }
}

/**
 * Permanently deletes everything in a project's recycle bin. The project defaults to the caller's; if there is none,
 * throws a `validation` error.
 */
export async function emptyBin(
  { ports }: Pick<Tools, 'ports'>,
  scope: Scope,
  projectId: string | undefined,
): Promise<{ count: number }> {
  const id = projectId ?? scope.project_id
  if (id === null || id === undefined) throw fieldProblem('project_id', 'storage.name_project')
  return { count: await ports.storage.recycleBin.empty(scope, id) }
}

/** Starts the permanent deletion of expired items. Returns how many deletions were started. */
export async function expireItems(tools: Pick<Tools, 'inventory' | 'ports' | 'audit' | 'log'>): Promise<number> {
  const now = await databaseNow(tools)
  const { data } = await tools.inventory.list<RecycledItem>(recycledItemKind, serverScope, {
    limit: BATCH,
    sort: 'expires_at:asc',
    status: 'recycled',
    expires_at: `lte:${now.toISOString()}`,
  })
  let begun = 0
  for (const item of data) if (await expire(tools, item)) begun++
  return begun
}

/** Deletes an expired item. A failure is logged and retried in the next run, so other items are not affected. */
async function expire({ ports, audit, log }: Pick<Tools, 'ports' | 'audit' | 'log'>, item: RecycledItem) {
  const { id, name, project_id, domain_id } = item
  const subject = { kind: recycledItemKind.name, id, name }
  const act = audit.begin({
    call: {
      ...{ action: 'recycled_item.expire', scope: { ...serverScope, project_id, domain_id }, user_name: null },
      ...{ request_id: `expiry-${id}`, address: '', session_id: null, method: 'DELETE', path: '' },
      started_at: new Date(),
    },
    ...{ status: 202, kind: recycledItemKind.name, subjectOf: () => subject, noteFirst: false },
  })
  try {
    await act.run(() => ports.storage.recycleBin.delete(serverScope, id))
    await act.done(item)
    return true
  } catch (err) {
    // another caller has already restored or deleted the item
    const isOver = err instanceof Problem && (err.code === 'not_found' || err.code === 'invalid_state')
    if (isOver) act.leaveUnrecorded()
    else log.warn({ err, item: id }, 'failed to delete an expired item in the recycle bin')
    await act.failed({ subject, result: 'error', status: 500, error_code: 'unknown', message: null })
    return false
  }
}

/** Deletes expired items permanently, every minute. */
export const recycleBinExpiry = schedule({
  name: 'recycle_bin.expire',
  job: job({
    name: 'recycle_bin.expire',
    args: z.strictObject({}),
    pool: 'bulk',
    run: (_, tools) => expireItems(tools),
  }),
  plan: { cron: '* * * * *', time_zone: 'UTC', jitter_seconds: 0, missed: 'once' },
})
