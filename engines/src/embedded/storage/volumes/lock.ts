import type { Instance } from '@mainstay/contract/compute/instances'
import { notFound, problem, problemOf } from '@mainstay/contract/core/problems'
import { volumeCan, whyVolumeNotNow, type VolumeAction } from '@mainstay/contract/storage/volume-rules'
import type { Volume } from '@mainstay/contract/storage/volumes'
import type { RecordsTransaction } from '../../../ports/records'
import type { Scope } from '../../../ports/scope'
import { actsOn, lockOwn } from '../../access'
import { changeInstance } from '../../compute/instances/rows'

export function refuseUnless(action: VolumeAction, volume: Volume): void {
  if (!volumeCan(action, volume)) throw problemOf(whyVolumeNotNow(volume))
}

/** Locks a volume and the instance that it is attached to, in the common lock order. */
export async function lockVolume(tx: RecordsTransaction, scope: Scope, id: string) {
  const seen = await tx.get<Volume>('volume', id)
  if (!seen || !actsOn(scope, seen.project_id)) throw notFound()
  const serverId = seen.attachments[0]?.server_id
  const instance = serverId === undefined ? null : await tx.lock<Instance>('server', serverId)
  const volume = await lockOwn<Volume>(tx, 'volume', scope, id)
  if (volume.attachments[0]?.server_id !== serverId) {
    throw problem('storage.volume_changing', {}, { data: { status: volume.status } })
  }
  return { volume, instance }
}

/** Updates the name and size of a volume in the row of its instance. */
export async function showInInstance(tx: RecordsTransaction, row: Instance, { id, name, size }: Volume) {
  const volumes = row.volumes.map((it) => (it.id === id ? { ...it, name, size } : it))
  await changeInstance(tx, row, { volumes })
}
