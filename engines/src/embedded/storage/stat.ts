import { usedOf } from '../../ports/quotas'
import type { StoragePort } from '../../ports/storage'
import type { Scope } from '../../ports/scope'
import type { Engine } from '../engine'

/** An operator sees the host, everybody else the project. */
export async function storageStatOf(engine: Engine, scope: Scope): ReturnType<StoragePort['stat']> {
  const isSystem = scope.kind === 'system'
  const projectId = isSystem ? null : (scope.project_id ?? '')
  const used = await engine.records.transaction((tx) => usedOf(tx, projectId, 'storage'))
  return { used, total: isSystem ? used + (await engine.hypervisor.disks.free()) : engine.limits.quotas.storage }
}
