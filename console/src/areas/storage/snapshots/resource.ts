import { volumeSnapshotKind, volumeSnapshots, type VolumeSnapshot } from '@mainstay/contract/storage/volume-snapshots'
import { resource } from '../../../nav/resource'
import { volumeResource } from '../volumes/resource'

// the form that creates a snapshot is part of the volume's details, so it has no page of its own
const { create: _, ...calls } = volumeSnapshots

export const snapshotResource = resource({
  kind: volumeSnapshotKind,
  calls,
  area: 'storage',
  words: 'snapshots',
  called: 'volumeSnapshots',
  path: 'compute/volume-snapshots',
  menu: { tabOf: volumeResource.path, icon: 'SnapshotIcon', label: 'menu.snapshots' },
})

/** Forms that open over the snapshots of a volume; the names are part of the path (S1§2). */
export type SnapshotForm = 'edit' | 'createImage' | 'createVolume'

/** Paths of the snapshots tab and its forms in the details of a volume. */
export const snapshotPaths = {
  tab: (volumeId: string) => volumeResource.paths.below(volumeId, 'snapshots'),
  form: ({ id, volume_id }: Pick<VolumeSnapshot, 'id' | 'volume_id'>, form: SnapshotForm) =>
    volumeResource.paths.below(volume_id, 'snapshots', id, form),
}
