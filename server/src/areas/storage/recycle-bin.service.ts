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
/** Items that one look begins to delete; the next look goes on. */
const BATCH = 200

export const recycleBinSetting: Setting<RecycleBinSettings> = { name: 'recycle_bin', shape: RecycleBinSettings }

/** Days as operators have set them, whether or not the engine has a bin. */
export const daysSet = async ({ settings }: Pick<Tools, 'settings'>): Promise<number> =>
  (await settings.read(recycleBinSetting))?.value.days ?? DEFAULT_RECYCLE_DAYS

/** Days for which what is deleted can be restored; 0 where it is deleted for good at once. */
export const recycleDays = async (tools: Pick<Tools, 'settings' | 'capabilities'>): Promise<number> =>
  tools.capabilities.compute.recycle_bin ? daysSet(tools) : 0

/** By the clock of the database, so that servers with other clocks agree. */
const databaseNow = ({ inventory }: Pick<Tools, 'inventory'>): Promise<Date> =>
  inventory.transaction(
    async (_, db) => (await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)).rows[0]!.now,
  )

/** How what a call deletes goes into the bin; null where it is deleted for good. The date that is told is kept. */
export async function recycling(
  tools: Pick<Tools, 'settings' | 'capabilities' | 'inventory'>,
  { permanent }: z.output<typeof PermanentQuery>,
): Promise<RecycleHow | null> {
  const days = permanent === 'true' ? 0 : await recycleDays(tools)
  if (days === 0) return null
  const now = await databaseNow(tools)
  return { deleted_at: now.toISOString(), expires_at: new Date(now.getTime() + days * DAY_MS).toISOString() }
}

/** Deletes for good all of the project that is named, or else acted in. Throws `validation` where neither is. */
export async function emptyBin(
  { ports }: Pick<Tools, 'ports'>,
  scope: Scope,
  projectId: string | undefined,
): Promise<{ count: number }> {
  const id = projectId ?? scope.project_id
  if (id === null || id === undefined) throw fieldProblem('project_id', 'storage.name_project')
  return { count: await ports.storage.recycleBin.empty(scope, id) }
}

/** Begins to delete for good what is in the bin longer than it was promised to be. Answers how many. */
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

/** One item that cannot be deleted now holds up no other; the next look tries it again. */
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
    // restored, or deleted by somebody, meanwhile
    const isOver = err instanceof Problem && (err.code === 'not_found' || err.code === 'invalid_state')
    if (isOver) act.leaveUnrecorded()
    else log.warn({ err, item: id }, 'what is in the recycle bin too long could not be deleted')
    await act.failed({ subject, result: 'error', status: 500, error_code: 'unknown', message: null })
    return false
  }
}

/** Deletes for good what is over its time. */
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
