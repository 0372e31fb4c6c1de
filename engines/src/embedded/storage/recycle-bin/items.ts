import type { Instance } from '@mainstay/contract/compute/instances'
import { notFound } from '@mainstay/contract/core/problems'
import { recycledItemKind, type RecycledItem } from '@mainstay/contract/storage/recycle-bin'
import type { Volume } from '@mainstay/contract/storage/volumes'
import type { RecycleHow } from '../../../ports/storage'
import type { RecordsTransaction } from '../../../ports/records'
import type { Scope } from '../../../ports/scope'
import { lockOwn } from '../../access'

export const RECYCLED = recycledItemKind.name

/** A floating IP that was assigned to an address of a machine when the machine was deleted. */
export interface FormerFloatingIp {
  id: string
  address: string
  port_id: string
  fixed_ip_address: string | null
}

/** A machine in the recycle bin, as its rows were. Its plan and the plans of its volumes stay where they are. */
export interface RecycledMachine {
  kind: 'server'
  instance: Instance
  /** Those that are in the bin with it. */
  volumes: Volume[]
  /** Left out of items that are older than this field: those kept their ports. */
  floatingIps?: FormerFloatingIp[]
  /** It ran, and is started when it is restored. */
  wasUp: boolean
  /** It has been switched off since, and its other volumes are free. */
  isOff: boolean
}
interface RecycledVolume {
  kind: 'volume'
  volume: Volume
}
/** What the engine alone knows of an item of the bin. */
export type Recycled = RecycledMachine | RecycledVolume

/** Where an item is listed: what it was, whose it is, and until when it can be restored. */
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

/** Puts something into the bin; the rows that it had are removed by who calls. */
export async function putItem(
  tx: RecordsTransaction,
  recycled: Recycled,
  { scope, how }: { scope: Scope; how: RecycleHow },
): Promise<void> {
  const item = itemOf(recycled, scope, how)
  await tx.put(RECYCLED, item)
  await tx.putPrivate(RECYCLED, item.id, recycled)
}

/** The caller's item, locked, with what it was. */
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

/** What jobs on an item are about: what it was, so that they wait for those before. */
export const subjectOfItem = ({ kind, id, name }: RecycledItem) => ({ kind, id, name })
