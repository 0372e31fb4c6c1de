import type { Flavor } from '@mainstay/contract/compute/flavors'
import type { Image } from '@mainstay/contract/compute/images'
import type { InstanceDraft } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { badField } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { ProjectScope } from '../../ports/scope'
import type { Caller } from '../client/caller'
import { readEach, unlessGone } from '../read-each'
import { WireVolume } from '../storage/volumes-shape'
import { readFlavor } from './flavors-shape'
import { imageOf, WireImage } from './images-shape'
import { discGiB } from './instances-disks'
import { checkQuotas } from './quotas'

type VolumeDraft = InstanceDraft['volumes'][number]

/**
 * Refuses what a draft names and is not there for the caller, or does not fit, each at its field: the cloud would tell
 * of some of it only in the fault of an instance that is there already. Answers the images that are named.
 */
export async function checkDraft(
  cloud: Caller,
  scope: ProjectScope,
  draft: InstanceDraft,
): Promise<ReadonlyMap<string, Image>> {
  const named = (...sources: VolumeDraft['source'][]) =>
    draft.volumes.flatMap((volume) => ('id' in volume && sources.includes(volume.source) ? [volume.id] : []))
  const [flavor, images, volumes, hasKey] = await Promise.all([
    unlessGone(readFlavor(cloud, draft.flavor)),
    readEach(named('image', 'iso'), (id) => imageFor(cloud, id)),
    readEach(named('volume'), (id) => volumeFor(cloud, id)),
    draft.key_name === null || keyIsThere(cloud, draft.key_name),
  ])
  if (!flavor) throw badField('flavor', 'This flavor does not exist')
  if (!hasKey) throw badField('key_name', 'This SSH key does not exist')
  const found = new Map<string, Image>()
  const once = new Set<string>()
  for (const [at, volume] of draft.volumes.entries()) {
    const field = `volumes.${at}`
    if (volume.source === 'volume' || volume.source === 'iso') {
      const what = volume.source === 'iso' ? 'ISO' : 'volume'
      if (once.has(volume.id)) throw badField(`${field}.id`, `This ${what} is named twice`)
      once.add(volume.id)
    }
    if (volume.source === 'volume') checkVolume(volume, volumes.get(volume.id), `${field}.id`)
    if (volume.source === 'image' || volume.source === 'iso') {
      const image = active(images.get(volume.id), `${field}.id`)
      checkImage(volume, image, flavor, field)
      found.set(volume.id, image)
    }
  }
  await checkQuotas(cloud, scope.project_id, wantedBy(draft, flavor, found))
  return found
}

/** An image that may be booted or copied here; refused at `field` otherwise. */
export async function usableImage(cloud: Caller, id: string, field: string): Promise<Image> {
  const image = await unlessGone(imageFor(cloud, id))
  return active(image, field)
}

function active(image: Image | null | undefined, field: string): Image {
  if (!image) throw badField(field, 'This image does not exist')
  if (image.status !== 'active') throw badField(field, `This image is ${image.status}; only an active one can be used`)
  return image
}

async function imageFor(cloud: Caller, id: string): Promise<Image> {
  return imageOf(await cloud.get('image', `/images/${encodeURIComponent(id)}`, WireImage), '', null)
}

async function volumeFor(cloud: Caller, id: string): Promise<WireVolume> {
  const path = `/volumes/${encodeURIComponent(id)}`
  return (await cloud.get('volume', path, z.object({ volume: WireVolume }))).volume
}

const keyIsThere = async (cloud: Caller, name: string): Promise<boolean> =>
  (await unlessGone(
    cloud.get('compute', `/os-keypairs/${encodeURIComponent(name)}`, z.object({ keypair: z.object({}) })),
  )) !== null

function checkVolume(draft: VolumeDraft, volume: WireVolume | null | undefined, field: string): void {
  if (!volume) throw badField(field, 'This volume does not exist')
  if (volume.status !== 'available') {
    throw badField(field, `This volume is ${volume.status}; only an available one can be attached`, 'volume_in_use')
  }
  if (draft.boot_index === 0 && !volume.bootable) throw badField(field, 'This volume is not bootable')
}

function checkImage(
  draft: VolumeDraft & { source: 'image' | 'iso' },
  image: Image,
  flavor: Flavor,
  field: string,
): void {
  if (draft.source === 'iso' && image.type !== 'iso') throw badField(`${field}.id`, 'This image is not an ISO')
  if (draft.source === 'image') checkSize(image, draft.size, field)
  if (draft.boot_index === 0 && flavor.ram < image.min_ram) {
    throw badField('flavor', `The image needs ${image.min_ram} MiB of memory; this flavor has ${flavor.ram}`)
  }
}

function checkSize(image: Image, sizeBytes: number, field: string): void {
  if (image.type === 'iso') {
    throw badField(`${field}.id`, 'An ISO is not copied to a volume; mount it as a CD-ROM')
  }
  const needed = Math.max(image.min_disk * GiB, image.virtual_size ?? 0)
  if (sizeBytes < needed) throw badField(`${field}.size`, `Use at least ${Math.ceil(needed / GiB)} GiB for this image`)
}

function wantedBy({ count, volumes }: InstanceDraft, flavor: Flavor, images: ReadonlyMap<string, Image>) {
  const newBytes = volumes.flatMap((draft) => {
    if (draft.source === 'volume') return []
    return draft.source === 'iso' ? [discGiB(images.get(draft.id)) * GiB] : [draft.size]
  })
  return {
    instances: { amount: count, field: 'count' },
    vcpus: { amount: flavor.vcpus * count, field: 'flavor' },
    ram: { amount: flavor.ram * count, field: 'flavor' },
    volumes: { amount: newBytes.length * count, field: 'volumes' },
    storage: { amount: newBytes.reduce((sum, bytes) => sum + bytes, 0) * count, field: 'volumes' },
  }
}
