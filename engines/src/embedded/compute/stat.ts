import type { ComputeStat } from '@mainstay/contract/compute/compute-cluster'
import { usedOf } from '../../ports/quotas'
import type { Scope } from '../../ports/scope'
import type { Engine } from '../engine'
import { limitsOf } from '../quotas'
import { capacityOf } from './capacity'

/**
 * Operators see the whole host, tenants their own project. `by_status` is left empty, because the caller counts
 * statuses in the index.
 */
export async function statOf(engine: Engine, scope: Scope): Promise<Omit<ComputeStat, 'storage'>> {
  const isSystem = scope.kind === 'system'
  const project_id = scope.project_id ?? ''
  const whose = isSystem ? null : { project_id }
  const used = await engine.records.transaction(async (tx) => ({
    servers: await usedOf(tx, whose, 'instances'),
    vcpus: await usedOf(tx, whose, 'vcpus'),
    ram: await usedOf(tx, whose, 'ram'),
    limits: await limitsOf(engine, tx, project_id),
  }))
  const host = capacityOf(engine)
  const total = isSystem ? { vcpus: host.vcpus, ram: host.ramMiB } : used.limits
  return {
    servers: { total: used.servers, by_status: {} },
    vcpus: { used: used.vcpus, total: total.vcpus },
    ram: { used: used.ram, total: total.ram },
  }
}
