import { GiB } from '@mainstay/contract/core/bytes'
import * as z from 'zod'
import type { Scope } from '../../ports/scope'
import { usedOf } from '../../ports/quotas'
import type { StoragePort } from '../../ports/storage'
import type { Engine } from '../engine'
import type { Reading } from '../kind-reader'
import { storageQuotasOf } from '../quotas'

const Pool = z.object({
  /** GiB, `infinite` or `unknown`. */
  capabilities: z.object({ free_capacity_gb: z.union([z.number(), z.string()]).optional() }),
})

/**
 * Returns the free space in all storage pools, in bytes. Null if any of them is unlimited or does not report its free
 * space.
 */
async function freeBytes({ caller }: Reading): Promise<number | null> {
  const answer = await caller.get('volume', '/scheduler-stats/get_pools', z.object({ pools: z.array(Pool) }), {
    query: { detail: 'true' },
  })
  const free = answer.pools.map(({ capabilities }) => capabilities.free_capacity_gb)
  if (!free.every((amount) => typeof amount === 'number')) return null
  return Math.floor(free.reduce<number>((sum, amount) => sum + amount, 0)) * GiB
}

/**
 * Operators see the whole cloud, other users see their project. Usage is counted in the index. A total of -1 means
 * unlimited.
 */
export async function storageStatOf(engine: Engine, scope: Scope): ReturnType<StoragePort['stat']> {
  const isSystem = scope.kind === 'system'
  const projectId = isSystem ? null : (scope.project_id ?? '')
  const used = await engine.records.transaction((tx) =>
    usedOf(tx, projectId === null ? null : { project_id: projectId }, 'storage'),
  )
  if (projectId === '') return { used, total: 0 }
  if (projectId !== null) return { used, total: (await storageQuotasOf(engine, scope, projectId)).storage.limit }
  const free = await freeBytes(engine.reading)
  return { used, total: free === null ? -1 : used + free }
}
