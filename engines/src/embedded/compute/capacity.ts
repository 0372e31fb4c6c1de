import { says, type RuleText } from '@mainstay/contract/core/said'
import type { Flavor } from '@mainstay/contract/compute/flavors'
import { MiB } from '@mainstay/contract/core/bytes'
import { problem, problemOf } from '@mainstay/contract/core/problems'
import { usedOf } from '../../ports/quotas'
import { thisNodeId } from '../../ports/named-id'
import type { RecordsTransaction } from '../../ports/records'
import type { Engine } from '../engine'
import { checkAccepting } from '../rows/compute-node'

export interface Capacity {
  vcpus: number
  ramMiB: number
  /** Maximum number of vCPUs for a single instance. */
  vcpusOfOne: number
}

/** Returns the capacity of the host for instances. vCPUs are overcommitted; memory is not. */
export const capacityOf = ({ hypervisor: { host }, limits }: Engine): Capacity => ({
  vcpus: host.cpuCores * limits.vcpusPerCore,
  ramMiB: Math.max(0, Math.floor(host.ramBytes / MiB) - limits.hostReserveMiB),
  vcpusOfOne: Math.min(240, host.cpuCores),
})

const maintenanceOf = async (tx: RecordsTransaction): Promise<{ state: string } | null> =>
  (await tx.get<{ id: string; maintenance: { state: string } | null }>('node', thisNodeId))?.maintenance ?? null

/** Throws if the host is in maintenance, or entering or leaving it. */
async function refuseInMaintenance(tx: RecordsTransaction): Promise<void> {
  if (await maintenanceOf(tx)) throw problem('compute.host_in_maintenance')
}

/**
 * Throws if the host is in maintenance or entering it, because instances must stay off until the maintenance ends. They
 * are started then.
 */
export async function refuseStart(tx: RecordsTransaction): Promise<void> {
  const state = (await maintenanceOf(tx))?.state
  if (state === 'suspending' || state === 'suspended') throw problem('compute.host_starts_nothing')
}

/**
 * Throws if the host cannot run these instances in addition to the existing ones. Stopped instances count, because they
 * must be able to start again. Shelved instances do not. `resizedFrom`: flavor of an instance that changes its size.
 */
export async function checkCapacity(
  engine: Engine,
  tx: RecordsTransaction,
  flavor: Pick<Flavor, 'vcpus' | 'ram'>,
  count: number,
  resizedFrom: Pick<Flavor, 'vcpus' | 'ram'> | null = null,
): Promise<void> {
  const { vcpus, ramMiB, vcpusOfOne } = capacityOf(engine)
  const refuse = (message: RuleText) => problemOf(message, { field: 'flavor' })
  if (flavor.vcpus > vcpusOfOne) {
    throw refuse(says('compute.flavor_has_many_vcpus', { processors: vcpusOfOne, vcpus: flavor.vcpus }))
  }
  if (flavor.ram > ramMiB) {
    throw refuse(says('compute.flavor_has_much_memory', { memory: flavor.ram, available: ramMiB }))
  }
  await tx.exclusive('host')
  // an instance that changes its size is already on the host
  if (!resizedFrom) await refuseInMaintenance(tx)
  await checkAccepting(tx)
  const ramUsed = (await usedOf(tx, null, 'ram')) - (resizedFrom?.ram ?? 0)
  if (ramUsed + flavor.ram * count > ramMiB) {
    throw refuse(
      says('compute.no_memory_left', { needed: flavor.ram * count, available: ramMiB, left: ramMiB - ramUsed }),
    )
  }
  const vcpusUsed = (await usedOf(tx, null, 'vcpus')) - (resizedFrom?.vcpus ?? 0)
  if (vcpusUsed + flavor.vcpus * count > vcpus) {
    throw refuse(
      says('compute.no_vcpus_left', { needed: flavor.vcpus * count, available: vcpus, left: vcpus - vcpusUsed }),
    )
  }
}

/** Throws if there is not enough disk space. Blank disks only take up space once data is written to them. */
export async function checkSpace({ hypervisor, limits }: Engine, bytes: number): Promise<void> {
  const free = await hypervisor.disks.free()
  if (free - bytes >= limits.diskReserveBytes) return
  throw problem('compute.no_disk_space', {}, { data: { free, needed: bytes } })
}
