import type { Instance } from '@mainstay/contract/compute/instances'
import { notFound } from '@mainstay/contract/core/problems'
import { recycledItemKind, type RecycledItem } from '@mainstay/contract/storage/recycle-bin'
import type { Volume } from '@mainstay/contract/storage/volumes'
import type { RecycleHow } from '../../../ports/storage'
import type { RecordsTransaction } from '../../../ports/records'
import type { Scope } from '../../../ports/scope'
import { lockOwn } from '../../access'

export const RECYCLED = recycledItemKind.name

/** A floating IP that was assigned to one of the machine's addresses when the machine was deleted. */
export interface FormerFloatingIp {
  id: string
  address: string
  port_id: string
  fixed_ip_address: string | null
}

/** A machine in the recycle bin with its former rows. Its plan and those of its volumes stay in the private data. */
export interface RecycledMachine {
  kind: 'server'
  instance: Instance
  /** The volumes that were deleted along with it. */
  volumes: Volume[]
  /** Missing in items from earlier versions, which kept their ports. */
  floatingIps?: FormerFloatingIp[]
  /** Whether the machine was running. If so, restoring it also starts it. */
  wasUp: boolean
  /** Whether the machine has since been shut down and its other volumes released. */
  isOff: boolean
}
interface RecycledVolume {
  kind: 'volume'
  volume: Volume
}
/** Data about an item in the bin that only the engine uses. */
export type Recycled = RecycledMachine | RecycledVolume

/** Returns the row of an item: its former properties, its owner, and the time until which it can be restored. */
function itemOf(recycled: Recycled, scope: Scope, { deleted_at, expires_at }: RecycleHow): RecycledItem {
  const isMachine = recycled.kind === 'server'
  const { id, name, description, project_id, domain_id, user_id } = isMachine ? recycled.instance : recycled.volume
  const disks = isMachine ? recycled.volumes : [recycled.volume]
  return {
    ...{ id, name, description, project_id, domain_id, user_id },
    kind: recycled.kind,
    status: 'recycled',
    fault: null,
    size: disks.reduce((sum, { size }) => sum + size, 0),
    volumes: isMachine ? disks.map((disk) => ({ id: disk.id, name: disk.name, size: disk.size })) : [],
    addresses: isMachine
      ? recycled.instance.network_data.flatMap(({ fixed_ips }) => fixed_ips.map(({ ip_address }) => ip_address))
      : [],
    flavor_name: isMachine ? recycled.instance.flavor.original_name : null,
    ...{ deleted_by: scope.user_name, deleted_at, expires_at },
  }
}

/** Adds an item to the bin. The caller removes its former rows. */
export async function putItem(
  tx: RecordsTransaction,
  recycled: Recycled,
  { scope, how }: { scope: Scope; how: RecycleHow },
): Promise<void> {
  const item = itemOf(recycled, scope, how)
  await tx.put(RECYCLED, item)
  await tx.putPrivate(RECYCLED, item.id, recycled)
}

/** Locks the caller's item. Returns it with its former rows. */
export async function lockItem(tx: RecordsTransaction, scope: Scope, id: string) {
  const item = await lockOwn<RecycledItem>(tx, RECYCLED, scope, id)
  return { item, recycled: await recycledOf(tx, id) }
}

export async function recycledOf(tx: RecordsTransaction, id: string): Promise<Recycled> {
  const recycled = await tx.getPrivate<Recycled>(RECYCLED, id)
  if (!recycled) throw notFound()
  return recycled
}

export async function removeItem(tx: RecordsTransaction, id: string): Promise<void> {
  await tx.remove(RECYCLED, id)
  await tx.removePrivate(RECYCLED, id)
}

/**
 * Returns the subject of jobs on an item. It is the former row, so that the jobs run after earlier jobs on that row.
 */
export const subjectOfItem = ({ kind, id, name }: RecycledItem) => ({ kind, id, name })
