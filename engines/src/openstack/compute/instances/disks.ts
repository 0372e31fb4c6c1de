import type { Image } from '@mainstay/contract/compute/images'
import type { InstanceDraft } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'

type VolumeDraft = InstanceDraft['volumes'][number]

/** Converts disks to Nova's block devices, with sizes in GiB and consecutive boot indexes. */
export function blockDevices(
  { volumes }: InstanceDraft,
  images: ReadonlyMap<string, Image>,
): Record<string, unknown>[] {
  const order = volumes.flatMap(({ boot_index }) => (boot_index === null ? [] : [boot_index])).toSorted((a, b) => a - b)
  return volumes.map((draft) => ({
    ...sourceOf(draft, images),
    destination_type: 'volume',
    boot_index: draft.boot_index === null ? -1 : order.indexOf(draft.boot_index),
    // an ISO is copied to a volume that only this instance uses
    delete_on_termination: draft.source === 'iso' ? true : draft.rm,
  }))
}

function sourceOf(draft: VolumeDraft, images: ReadonlyMap<string, Image>): Record<string, unknown> {
  switch (draft.source) {
    case 'image':
      return { source_type: 'image', uuid: draft.id, volume_size: draft.size / GiB, ...policyOf(draft) }
    case 'blank':
      return { source_type: 'blank', volume_size: draft.size / GiB, ...policyOf(draft) }
    case 'volume':
      return { source_type: 'volume', uuid: draft.id }
    case 'iso':
      return { source_type: 'image', uuid: draft.id, volume_size: discGiB(images.get(draft.id)), device_type: 'cdrom' }
  }
}

/** Converts a storage policy to a volume type, its equivalent in Cinder. */
const policyOf = ({ storage_policy_name: name }: { storage_policy_name?: string | undefined }) =>
  name === undefined ? {} : { volume_type: name }

/** Returns the volume size for an ISO, in whole GiB. */
export const discGiB = (image: Image | undefined): number => Math.max(1, Math.ceil((image?.size ?? 0) / GiB))
