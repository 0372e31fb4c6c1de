import { randomUUID } from 'node:crypto'
import type { Image } from '@mainstay/contract/compute/images'
import type { Instance, InstanceDraft } from '@mainstay/contract/compute/instances'
import type { Flavor } from '@mainstay/contract/compute/flavors'
import { GiB } from '@mainstay/contract/core/bytes'
import { fieldProblem } from '@mainstay/contract/core/problems'
import type { Volume } from '@mainstay/contract/storage/volumes'
import type { RecordsTransaction } from '../../../ports/records'
import type { ProjectScope } from '../../../ports/scope'
import { actsOn } from '../../access'
import { nextDevice, type PlannedDisk } from '../../rows/instance-plan'
import { usableImage } from '../images/rows'
import { newVolume, refuseOtherPolicy, type VolumePlan } from '../../rows/volumes'

type VolumeDraft = InstanceDraft['volumes'][number]

/** A volume draft with the objects that it refers to. Resolved once per request and reused for each instance. */
export interface ChosenDisk {
  draft: VolumeDraft
  image: Image | null
  volume: Volume | null
  /** Size of the volume to create, in bytes; 0 if none is created. */
  newBytes: number
  firmware: 'bios' | 'uefi'
  isWindows: boolean
}

/**
 * Resolves the drafts. Throws an error on the field of a draft whose image or volume does not exist or does not fit.
 */
export async function chooseDisks(
  tx: RecordsTransaction,
  scope: ProjectScope,
  drafts: VolumeDraft[],
  flavor: Flavor,
): Promise<ChosenDisk[]> {
  const chosen: ChosenDisk[] = []
  const named = new Set<string>()
  for (const [at, draft] of drafts.entries()) {
    const field = `volumes.${at}`
    if (draft.source === 'image' || draft.source === 'blank')
      refuseOtherPolicy(draft.storage_policy_name, `${field}.storage_policy_name`)
    if (draft.source === 'blank') {
      chosen.push({ draft, image: null, volume: null, newBytes: draft.size, firmware: 'bios', isWindows: false })
      continue
    }
    if (draft.source === 'volume') {
      if (named.has(draft.id)) throw fieldProblem(`${field}.id`, 'compute.volume_twice')
      named.add(draft.id)
      chosen.push(await chooseVolume(tx, scope, draft, field))
      continue
    }
    const image = await usableImage(tx, scope, draft.id, `${field}.id`)
    if (draft.source === 'iso') {
      if (image.type !== 'iso') throw fieldProblem(`${field}.id`, 'compute.not_an_iso')
      if (named.has(draft.id)) throw fieldProblem(`${field}.id`, 'compute.iso_twice')
      named.add(draft.id)
    } else {
      checkImageFits(image, draft.size, `${field}.size`)
    }
    if (draft.boot_index === 0 && flavor.ram < image.min_ram) {
      throw fieldProblem('flavor', 'compute.flavor_has_little_memory', { needed: image.min_ram, memory: flavor.ram })
    }
    chosen.push({
      draft,
      image,
      volume: null,
      newBytes: draft.source === 'image' ? draft.size : 0,
      firmware: image.hw_firmware_type,
      isWindows: image.os_type === 'windows',
    })
  }
  return chosen
}

/** Throws if a volume of this size cannot hold the image or is smaller than the image requires. */
export function checkImageFits(image: Image, sizeBytes: number, field: string): void {
  if (image.type === 'iso') throw fieldProblem(field.replace(/size$/, 'id'), 'compute.iso_is_not_copied')
  const needed = Math.max(image.min_disk * GiB, image.virtual_size ?? 0)
  if (sizeBytes < needed) throw fieldProblem(field, 'compute.size_for_image', { least: Math.ceil(needed / GiB) })
}

async function chooseVolume(
  tx: RecordsTransaction,
  scope: ProjectScope,
  draft: VolumeDraft & { source: 'volume' },
  field: string,
): Promise<ChosenDisk> {
  const volume = await tx.lock<Volume>('volume', draft.id)
  if (!volume || !actsOn(scope, volume.project_id)) throw fieldProblem(`${field}.id`, 'compute.no_such_volume')
  if (volume.status !== 'available') {
    throw fieldProblem(`${field}.id`, 'compute.volume_not_available', { status: volume.status })
  }
  if (draft.boot_index === 0 && !volume.bootable) throw fieldProblem(`${field}.id`, 'compute.volume_not_bootable')
  const plan = await tx.getPrivate<VolumePlan>('volume', volume.id)
  return {
    draft,
    image: null,
    volume,
    newBytes: 0,
    firmware: plan?.firmware ?? 'bios',
    isWindows: plan?.isWindows ?? false,
  }
}

export interface MadeDisks {
  shown: Instance['volumes']
  planned: PlannedDisk[]
}

/** Writes the volume rows for one instance: new volumes as `creating`, existing ones as `attaching`. */
export async function makeDisks(
  tx: RecordsTransaction,
  scope: ProjectScope,
  chosen: ChosenDisk[],
  instance: { id: string; name: string; host: string },
): Promise<MadeDisks> {
  const shown: Instance['volumes'] = []
  const planned: PlannedDisk[] = []
  for (const [at, { draft, image, volume, firmware, isWindows }] of chosen.entries()) {
    // Windows does not include a virtio driver
    const bus = isWindows ? 'sata' : 'virtio'
    if (draft.source === 'iso') {
      planned.push({ id: draft.id, kind: 'iso', bus: 'ide', bootIndex: draft.boot_index })
      await noteIsoUse(tx, draft.id, instance.id, true)
      continue
    }
    const device = nextDevice(shown, bus === 'virtio' ? 'vd' : 'sd')
    let row: Volume
    if (draft.source === 'volume') {
      row = { ...volume!, status: 'attaching', updated_at: new Date().toISOString() }
    } else {
      const suffix = draft.boot_index === 0 ? 'boot' : `disk-${at + 1}`
      row = newVolume(scope, {
        id: randomUUID(),
        name: `${instance.name.slice(0, 245)}-${suffix}`,
        size: draft.size,
        bootable: draft.source === 'image',
        image,
        host: instance.host,
      })
      await tx.putPrivate('volume', row.id, { firmware, isWindows } satisfies VolumePlan)
    }
    await tx.put('volume', row)
    shown.push({
      id: row.id,
      name: row.name,
      size: row.size,
      delete_on_termination: draft.rm,
      boot_index: draft.boot_index,
      device,
    })
    planned.push({ id: row.id, kind: 'volume', bus, bootIndex: draft.boot_index })
  }
  return { shown, planned }
}

/** Records whether an instance has an ISO in one of its drives. An ISO in use cannot be deleted. */
export async function noteIsoUse(tx: RecordsTransaction, imageId: string, serverId: string, isUsed: boolean) {
  await tx.exclusive(`image:${imageId}`)
  const users = (await tx.getPrivate<string[]>('iso-users', imageId)) ?? []
  const others = users.filter((id) => id !== serverId)
  if (isUsed) await tx.putPrivate('iso-users', imageId, [...others, serverId])
  else if (others.length > 0) await tx.putPrivate('iso-users', imageId, others)
  else await tx.removePrivate('iso-users', imageId)
}
