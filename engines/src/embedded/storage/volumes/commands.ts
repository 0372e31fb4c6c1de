import { randomUUID } from 'node:crypto'
import type { Image } from '@mainstay/contract/compute/images'
import { fieldProblem, problem } from '@mainstay/contract/core/problems'
import { attachedVolumeCanExtend } from '@mainstay/contract/storage/volume-rules'
import type { Volume, VolumeDraft } from '@mainstay/contract/storage/volumes'
import type { VolumesPort } from '../../../ports/storage'
import type { ProjectScope, Scope } from '../../../ports/scope'
import type { Engine } from '../../engine'
import { checkSpace } from '../../compute/capacity'
import { usableImage } from '../../compute/images/rows'
import { checkImageFits } from '../../compute/instances/disks'
import { checkQuotas } from '../../quotas'
import { cloneVolume, uploadToImage } from './copies'
import { recycleVolume } from '../recycle-bin/recycle'
import { beginVolumeDeletion, lockToDelete, volumeSubject } from './delete'
import { lockVolume, refuseUnless, showInInstance } from './lock'
import { giveUpSnapshots, snapshotSubject, usableSnapshot } from '../../rows/volume-snapshots'
import { changeVolume, newVolume, refuseOtherPolicy, type VolumePlan } from '../../rows/volumes'

export const volumeCommands = (engine: Engine): VolumesPort => ({
  create: (scope, draft) => createVolume(engine, scope, draft),
  update: (scope, id, change) =>
    engine.records.transaction(async (tx) => {
      const { volume, instance } = await lockVolume(tx, scope, id)
      refuseUnless('rename', volume)
      refuseOtherPolicy(change.storage_policy_name, 'storage_policy_name')
      const changed = await changeVolume(tx, volume, change as Partial<Volume>)
      // the instance's row contains the volume's name
      if (instance && changed.name !== volume.name) await showInInstance(tx, instance, changed)
      return changed
    }),
  delete: (scope, id, cascade = false) =>
    engine.records.transaction(async (tx) => {
      const volume = await lockToDelete(tx, scope, id)
      await giveUpSnapshots(tx, volume, cascade)
      return beginVolumeDeletion(tx, scope, volume)
    }),
  recycle: (scope, id, how, cascade = false) => recycleVolume(engine, scope, id, { ...how, cascade }),
  extend: (scope, id, sizeBytes) => extendVolume(engine, scope, id, sizeBytes),
  clone: (scope, id, draft) => cloneVolume(engine, scope, id, draft),
  uploadToImage: (scope, id, imageName) => uploadToImage(engine, scope, id, imageName),
  resetState: (scope, id) =>
    engine.records.transaction(async (tx) => {
      const { volume, instance } = await lockVolume(tx, scope, id)
      const isAttached = instance?.volumes.some((it) => it.id === id) ?? false
      if (!isAttached && volume.attachments.length > 0) {
        return changeVolume(tx, volume, { status: 'available', attachments: [], fault: null, progress: null })
      }
      return changeVolume(tx, volume, { status: isAttached ? 'in-use' : 'available', fault: null, progress: null })
    }),
})

async function createVolume(engine: Engine, scope: ProjectScope, draft: VolumeDraft): Promise<Volume> {
  refuseOtherPolicy(draft.storage_policy_name, 'storage_policy_name')
  return engine.records.transaction(async (tx) => {
    let image: Image | null = null
    if (draft.image_id !== null) {
      if (!engine.areas.has('compute')) throw fieldProblem('image_id', 'storage.images_elsewhere')
      image = await usableImage(tx, scope, draft.image_id, 'image_id')
      if (image.type === 'iso') throw fieldProblem('image_id', 'compute.iso_is_not_copied')
      checkImageFits(image, draft.size, 'size')
    }
    const snapshot = draft.snapshot_id ? await usableSnapshot(tx, scope, draft.snapshot_id) : null
    if (snapshot && draft.size < snapshot.size) throw fieldProblem('size', 'storage.copy_size')
    const original = snapshot && (await tx.get<Volume>('volume', snapshot.volume_id))
    await checkQuotas(engine, tx, scope, {
      volumes: { amount: 1 },
      storage: { amount: draft.size, field: 'size' },
    })
    await checkSpace(engine, image?.size ?? 0)
    const { name, description, size, bootable } = draft
    const blank = newVolume(scope, {
      id: randomUUID(),
      name,
      description,
      size,
      bootable: bootable || image !== null || (original?.bootable ?? false),
      image,
      host: engine.hypervisor.host.hostname,
    })
    const { image_id, image_name } = original ?? blank
    const volume: Volume = snapshot ? { ...blank, image_id, image_name, progress: 0 } : blank
    await tx.put('volume', volume)
    const plan: VolumePlan = { firmware: image?.hw_firmware_type ?? 'bios', isWindows: image?.os_type === 'windows' }
    const inherited = original && (await tx.getPrivate<VolumePlan>('volume', original.id))
    await tx.putPrivate('volume', volume.id, inherited ?? plan)
    await tx.startJob({
      name: 'compute.volume.create',
      subject: volumeSubject(volume),
      args: snapshot ? { source: snapshot.volume_id, snapshot: snapshot.id } : {},
      // prevents the snapshot from being deleted before it is copied
      ...(snapshot && { holds: [snapshotSubject(snapshot)] }),
      scope,
      cancellable: true,
    })
    return volume
  })
}

/**
 * Extends a volume. The row gets the new size immediately, so that it counts against the quota. The size is reverted
 * after a failure.
 */
async function extendVolume(engine: Engine, scope: Scope, id: string, sizeBytes: number): Promise<Volume> {
  return engine.records.transaction(async (tx) => {
    const { volume, instance } = await lockVolume(tx, scope, id)
    refuseUnless('extend', volume)
    if (instance && !attachedVolumeCanExtend(instance)) {
      throw problem('storage.disk_cannot_grow', { status: instance.status })
    }
    if (sizeBytes <= volume.size) throw fieldProblem('size', 'storage.volume_only_grows')
    await checkQuotas(engine, tx, volume, { storage: { amount: sizeBytes - volume.size, field: 'size' } })
    const changed = await changeVolume(tx, volume, { status: 'extending', size: sizeBytes, fault: null })
    if (instance) await showInInstance(tx, instance, changed)
    await tx.startJob({
      name: 'compute.volume.extend',
      // queued behind other jobs of the instance, so that the disk is not detached before this one runs
      subject: instance ? { kind: 'server', id: instance.id, name: instance.name } : volumeSubject(volume),
      args: { volume: id, size: sizeBytes, before: volume.size },
      scope,
    })
    return changed
  })
}
