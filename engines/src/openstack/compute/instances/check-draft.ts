import type { Flavor } from '@mainstay/contract/compute/flavors'
import type { Image } from '@mainstay/contract/compute/images'
import type { InstanceDraft } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { type Problem, fieldProblem } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { ProjectScope } from '../../../ports/scope'
import type { ServiceClient } from '../../client/service-client'
import { unlessGone } from '../../read-each'
import { WireVolume } from '../../storage/volumes/shape'
import { flavorReader } from '../flavors/shape'
import { discGiB } from './disks'
import { noLiveResize } from './resize'
import { checkQuotas } from '../../quotas'
import { serverGroupIsThere } from '../server-groups/commands'
import { checkHolds, usableImage } from '../images/usable-image'

type VolumeDraft = InstanceDraft['volumes'][number]

/**
 * Checks that the caller can use everything in the draft; throws an error on the field at fault. The cloud would report
 * some of these errors only after creating the instance, as its fault. Returns the draft's images by ID.
 */
export async function checkDraft(
  cloud: ServiceClient,
  scope: ProjectScope,
  draft: InstanceDraft,
): Promise<ReadonlyMap<string, Image>> {
  if (draft.allow_live_resize) throw noLiveResize()
  checkNamedOnce(draft)
  if (draft.traits.length > 0) throw placementChosen()
  if ((draft.user_data ?? '').replace(/\s+/g, '').length > mostUserData)
    throw fieldProblem('user_data', 'compute.cloud_script_too_long', { most: mostUserData })
  const { key_name, server_group } = draft
  const [flavor, hasKey, hasGroup] = await Promise.all([
    unlessGone(flavorReader.one(cloud, draft.flavor)),
    key_name === null || keyIsThere(cloud, key_name),
    server_group === null || serverGroupIsThere(cloud, server_group),
  ])
  if (!flavor) throw fieldProblem('flavor', 'compute.no_such_flavor')
  if (!hasKey) throw fieldProblem('key_name', 'compute.no_such_key')
  if (!hasGroup) throw fieldProblem('server_group', 'compute.no_such_server_group')
  const images = await Promise.all(draft.volumes.map((volume, at) => checkDisk(cloud, volume, flavor, `volumes.${at}`)))
  const byId = new Map(images.flatMap((image) => (image ? [[image.id, image] as const] : [])))
  await checkQuotas(cloud, scope.project_id, wantedBy(draft, flavor, byId))
  return byId
}

/** Nova's limit on user data, in base64 characters: just short of 48 KiB of data. */
const mostUserData = 65_535

/** Returns the error for a chosen placement. In a cloud, placements come only from the flavor and the image. */
export const placementChosen = (): Problem => fieldProblem('traits', 'compute.placements_of_flavor')

/**
 * Throws if a volume or ISO is listed twice. Each of them can be attached only once, whereas several disks can be
 * created from one image.
 */
function checkNamedOnce({ volumes }: InstanceDraft): void {
  const named = new Set<string>()
  for (const [at, volume] of volumes.entries()) {
    if (volume.source !== 'volume' && volume.source !== 'iso') continue
    const what = volume.source === 'iso' ? 'ISO' : 'volume'
    if (named.has(volume.id)) throw fieldProblem(`volumes.${at}.id`, 'compute.source_twice', { kind: what })
    named.add(volume.id)
  }
}

const keyIsThere = async (cloud: ServiceClient, name: string): Promise<boolean> =>
  (await unlessGone(
    cloud.get('compute', `/os-keypairs/${encodeURIComponent(name)}`, z.object({ keypair: z.object({}) })),
  )) !== null

/** Returns the image that a disk is created from, or null. */
async function checkDisk(
  cloud: ServiceClient,
  draft: VolumeDraft,
  flavor: Flavor,
  field: string,
): Promise<Image | null> {
  if (draft.source === 'blank') return null
  const at = { image: `${field}.id`, size: `${field}.size` }
  if (draft.source === 'volume') {
    await checkVolume(cloud, draft, at.image)
    return null
  }
  const image = await usableImage(cloud, draft.id, at.image)
  if (draft.source === 'image') checkHolds(image, draft.size, at)
  else if (image.type !== 'iso') throw fieldProblem(at.image, 'compute.not_an_iso')
  if (draft.boot_index === 0 && flavor.ram < image.min_ram) {
    throw fieldProblem('flavor', 'compute.flavor_has_little_memory', { needed: image.min_ram, memory: flavor.ram })
  }
  return image
}

async function checkVolume(
  cloud: ServiceClient,
  draft: VolumeDraft & { source: 'volume' },
  field: string,
): Promise<void> {
  const path = `/volumes/${encodeURIComponent(draft.id)}`
  const found = await unlessGone(cloud.get('volume', path, z.object({ volume: WireVolume })))
  if (!found) throw fieldProblem(field, 'compute.no_such_volume')
  const { status, bootable } = found.volume
  if (status !== 'available') {
    throw fieldProblem(field, 'compute.volume_not_available', { status })
  }
  if (draft.boot_index === 0 && !bootable) throw fieldProblem(field, 'compute.volume_not_bootable')
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
