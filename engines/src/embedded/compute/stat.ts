import type { ComputeStat } from '@mainstay/contract/compute/compute-cluster'
import { usedOf } from '../../ports/quotas'
import type { Scope } from '../../ports/scope'
import type { Engine } from '../engine'
import { capacityOf } from './capacity'

/** An operator sees the host, everybody else the project. Statuses are counted by the index, which has them sorted. */
export async function statOf(engine: Engine, scope: Scope): Promise<Omit<ComputeStat, 'storage'>> {
  const isSystem = scope.kind === 'system'
  const projectId = isSystem ? null : (scope.project_id ?? '')
  const used = await engine.records.transaction(async (tx) => ({
    servers: await usedOf(tx, projectId, 'instances'),
    vcpus: await usedOf(tx, projectId, 'vcpus'),
    ram: await usedOf(tx, projectId, 'ram'),
  }))
  const { quotas } = engine.limits
  const host = capacityOf(engine)
  const total = isSystem ? { vcpus: host.vcpus, ram: host.ramMiB } : quotas
  return {
    servers: { total: used.servers, by_status: {} },
    vcpus: { used: used.vcpus, total: total.vcpus },
    ram: { used: used.ram, total: total.ram },
  }
}
