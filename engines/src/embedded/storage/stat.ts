import { usedOf } from '../../ports/quotas'
import type { StoragePort } from '../../ports/storage'
import type { Scope } from '../../ports/scope'
import type { Engine } from '../engine'
import { limitsOf } from '../quotas'

/** Operators see the whole host, tenants their own project. */
export async function storageStatOf(engine: Engine, scope: Scope): ReturnType<StoragePort['stat']> {
  const isSystem = scope.kind === 'system'
  const project_id = scope.project_id ?? ''
  const { used, limit } = await engine.records.transaction(async (tx) => ({
    used: await usedOf(tx, isSystem ? null : { project_id }, 'storage'),
    limit: (await limitsOf(engine, tx, project_id)).storage,
  }))
  return { used, total: isSystem ? used + (await engine.hypervisor.disks.free()) : limit }
}
