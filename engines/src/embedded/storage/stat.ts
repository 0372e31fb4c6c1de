import { usedOf } from '../../ports/quotas'
import type { StoragePort, TierFacts } from '../../ports/storage'
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

/**
 * Returns the only tier of this host: the folder that contains the disks. There is a single copy of each disk. It is
 * lost if the disk of the folder fails.
 */
export async function tiersOf({ hypervisor, files }: Engine): Promise<TierFacts[]> {
  const { used, free } = await hypervisor.disks.space()
  return [{ tier: 0, folder: files.folder, used, free, copies: 1, failure_domain: 'disk' }]
}
