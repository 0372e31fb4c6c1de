import { randomUUID } from 'node:crypto'
import type { Image } from '@mainstay/contract/compute/images'
import type { Instance } from '@mainstay/contract/compute/instances'
import type { Problem } from '@mainstay/contract/core/problems'
import { fieldProblem, problem } from '@mainstay/contract/core/problems'
import { attachedVolumeCanBeImage, attachedVolumeCanClone } from '@mainstay/contract/storage/volume-rules'
import type { Volume, VolumeCloneDraft } from '@mainstay/contract/storage/volumes'
import type { RecordsTransaction } from '../../../ports/records'
import type { ProjectScope } from '../../../ports/scope'
import type { Engine } from '../../engine'
import { checkSpace } from '../../compute/capacity'
import { imageRow } from '../../compute/images/commands'
import { changeInstance } from '../../compute/instances/rows'
import { checkQuotas } from '../../quotas'
import { volumeSubject } from './delete'
import { lockVolume, refuseUnless } from './lock'
import { changeVolume, newVolume, refuseOtherPolicy, type VolumePlan } from '../../rows/volumes'

/*
 * Copies a volume to another volume or to an image. During the copy, the volume is busy, or its instance if it is
 * attached, so the source cannot be started, stopped or deleted.
 */

/** Status of a detached volume that is being copied. */
export const busyWhile = { clone: 'maintenance', uploadToImage: 'uploading' } as const
/** Task state of the instance during the copy. */
export const COPYING = 'image_uploading'

/** Returns the scope of a copy, which belongs to the volume's project regardless of the caller. */
export const ownerOf = (scope: ProjectScope, { project_id, domain_id }: Volume): ProjectScope => ({
  ...scope,
  project_id,
  domain_id,
})

export const cloneVolume = (
  engine: Engine,
  scope: ProjectScope,
  id: string,
  draft: VolumeCloneDraft,
): Promise<Volume> =>
  engine.records.transaction(async (tx) => {
    refuseOtherPolicy(draft.storage_policy_name, 'storage_policy_name')
    const { volume, instance } = await lockVolume(tx, scope, id)
    refuseUnless('clone', volume)
    if (instance && !attachedVolumeCanClone(instance)) throw whyNotOf(instance)
    const { size = volume.size } = draft
    if (size < volume.size) throw fieldProblem('size', 'storage.copy_size')
    const owner = ownerOf(scope, volume)
    await checkQuotas(engine, tx, owner, { volumes: { amount: 1 }, storage: { amount: size, field: 'size' } })
    await checkSpace(engine, 0)
    const { image_id, image_name, bootable } = volume
    const host = engine.hypervisor.host.hostname
    const copy: Volume = {
      ...newVolume(owner, { id: randomUUID(), name: draft.name, size, bootable, image: null, host }),
      ...{ image_id, image_name, progress: 0 },
    }
    await tx.put('volume', copy)
    const plan = await tx.getPrivate<VolumePlan>('volume', id)
    if (plan) await tx.putPrivate('volume', copy.id, plan)
    await keepBusy(tx, volume, instance, 'clone')
    const args = { source: id }
    await tx.startJob({
      name: 'compute.volume.clone',
      subject: volumeSubject(copy),
      // makes jobs for snapshots of the volume wait
      ...(!instance && { holds: [volumeSubject(volume)] }),
      args,
      scope: owner,
      cancellable: true,
    })
    return copy
  })

export const uploadToImage = (engine: Engine, scope: ProjectScope, id: string, name: string): Promise<Image> =>
  engine.records.transaction(async (tx) => {
    if (!engine.areas.has('compute')) throw problem('storage.images_elsewhere_now')
    const { volume, instance } = await lockVolume(tx, scope, id)
    refuseUnless('uploadToImage', volume)
    if (instance && !attachedVolumeCanBeImage(instance)) throw whyNotOf(instance)
    const owner = ownerOf(scope, volume)
    // the size is known only after the copy
    await checkQuotas(engine, tx, owner, { images: { amount: 1 }, image_storage: { amount: 1 } })
    await checkSpace(engine, 0)
    const image = await imageOf(tx, owner, volume, name)
    await tx.put('image', image)
    await keepBusy(tx, volume, instance, 'uploadToImage')
    await tx.startJob({
      name: 'compute.volume.upload_to_image',
      subject: volumeSubject(volume),
      args: { source: id, image: image.id },
      scope: owner,
      cancellable: true,
    })
    return image
  })

/**
 * Returns the row of the new image. Operating system properties are taken from the image that the volume was created
 * from.
 */
export async function imageOf(
  tx: RecordsTransaction,
  owner: ProjectScope,
  volume: Volume,
  name: string,
): Promise<Image> {
  const before = volume.image_id === null ? null : await tx.get<Image>('image', volume.image_id)
  const plan = await tx.getPrivate<VolumePlan>('volume', volume.id)
  const row = imageRow(owner, {
    ...{ name, description: '', disk_format: 'qcow2', tags: [], min_disk: 0, visibility: 'private', protected: false },
    os_distro: before?.os_distro ?? (plan?.isWindows ? 'windows' : 'linux'),
    min_ram: before?.min_ram ?? 0,
    hw_tpm_version: before?.hw_tpm_version ?? null,
    hw_firmware_type: before?.hw_firmware_type ?? plan?.firmware ?? 'bios',
    os_secure_boot: before?.os_secure_boot ?? false,
  })
  const { username = null, allow_set_password = false } = before ?? {}
  return { ...row, status: 'saving', progress: 0, username, allow_set_password }
}

const whyNotOf = ({ name, status, task_state }: Instance): Problem =>
  task_state === null
    ? problem('storage.named_disk_not_copied', { name, status })
    : problem('storage.busy_disk_not_copied', { name, status, task: task_state })

async function keepBusy(
  tx: RecordsTransaction,
  volume: Volume,
  instance: Instance | null,
  act: keyof typeof busyWhile,
): Promise<void> {
  if (instance) await changeInstance(tx, instance, { task_state: COPYING })
  else await changeVolume(tx, volume, { status: busyWhile[act] })
}
