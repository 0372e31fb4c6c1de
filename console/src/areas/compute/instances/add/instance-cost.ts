import type { CountedQuotas } from '@mainstay/contract/all-quotas'
import { MiB } from '@mainstay/contract/core/bytes'
import { bootBytes, type InstanceForm } from './instance-form'

export type CostName = 'instances' | 'vcpus' | 'ram' | 'volumes' | 'storage'
export type Cost = Readonly<Record<CostName, number>>

/**
 * Resources that the draft would use, sizes in bytes. Existing volumes are excluded, since they already count against
 * the quota.
 */
export function costOf(form: InstanceForm): Cost {
  const count = form.count ?? 1
  const blank = form.volumes.filter((disk) => disk.source === 'blank')
  const boot = bootBytes(form)
  return {
    instances: count,
    vcpus: count * (form.flavor?.vcpus ?? 0),
    ram: count * (form.flavor?.ram ?? 0) * MiB,
    volumes: count * (blank.length + (boot > 0 ? 1 : 0)),
    storage: count * (boot + blank.reduce((sum, { size }) => sum + size, 0)),
  }
}

export const costNames: readonly CostName[] = ['instances', 'vcpus', 'ram', 'volumes', 'storage']

/** The quotas that the draft would exceed. */
export const exceeded = (cost: Cost, quotas: CountedQuotas | undefined): CostName[] =>
  quotas === undefined
    ? []
    : costNames.filter((name) => {
        const { limit, used } = quotas[name]
        return limit >= 0 && cost[name] > 0 && used + cost[name] > limit
      })
