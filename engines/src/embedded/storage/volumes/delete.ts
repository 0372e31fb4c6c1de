import { problem, problemOf } from '@mainstay/contract/core/problems'
import { volumeCan, whyVolumeNotNow } from '@mainstay/contract/storage/volume-rules'
import type { Volume } from '@mainstay/contract/storage/volumes'
import type { RecordsTransaction } from '../../../ports/records'
import type { Scope } from '../../../ports/scope'
import { lockOwn } from '../../access'
import { changeVolume } from '../../rows/volumes'

export const volumeSubject = ({ id, name }: { id: string; name: string }) => ({ kind: 'volume', id, name })

/** Locks the caller's volume. Throws if it cannot currently be deleted. */
export async function lockToDelete(tx: RecordsTransaction, scope: Scope, id: string): Promise<Volume> {
  const volume = await lockOwn<Volume>(tx, 'volume', scope, id)
  const { status, attachments } = volume
  if (attachments.length > 0) throw problem('storage.volume_attached', {}, { data: { status } })
  if (!volumeCan('delete', volume)) throw problemOf(whyVolumeNotNow(volume))
  return volume
}

/** Marks a volume for permanent deletion, and starts the deletion job. */
export async function beginVolumeDeletion(tx: RecordsTransaction, scope: Scope, volume: Volume): Promise<Volume> {
  const changed = await changeVolume(tx, volume, { status: 'deleting' })
  await tx.startJob({ name: 'compute.volume.delete', subject: volumeSubject(volume), args: {}, scope })
  return changed
}
