import type { ComputeStat } from '@mainstay/contract/compute/compute-cluster'
import type { RecycledItem, Restored } from '@mainstay/contract/storage/recycle-bin'
import type { Image } from '@mainstay/contract/compute/images'
import type { Volume, VolumeChange, VolumeCloneDraft, VolumeDraft } from '@mainstay/contract/storage/volumes'
import type {
  VolumeSnapshot,
  VolumeSnapshotChange,
  VolumeSnapshotDraft,
} from '@mainstay/contract/storage/volume-snapshots'
import type { UsualPort } from './plain'
import type { ProjectScope, Scope } from './scope'

/* Commands for storage, with the results and errors described in `compute.ts`. */

export interface VolumesPort {
  create(scope: ProjectScope, draft: VolumeDraft): Promise<Volume>
  update(scope: Scope, id: string, change: VolumeChange): Promise<Volume>
  /** Throws a `volume_has_snapshots` error unless its snapshots are to be deleted too (`cascade`). */
  delete(scope: Scope, id: string, cascade?: boolean): Promise<Volume>
  /**
   * Moves the volume to the recycle bin. A volume that could not be created is deleted instead. Its snapshots are not
   * kept; see `delete`. Throws an `unsupported` error if the engine has no recycle bin.
   */
  recycle(scope: Scope, id: string, how: RecycleHow, cascade?: boolean): Promise<Volume>
  extend(scope: Scope, id: string, sizeBytes: number): Promise<Volume>
  resetState(scope: Scope, id: string): Promise<Volume>
  /**
   * Copies this volume to a new volume in its project. If it is in use, the copy has the volume's current content.
   * Throws an `invalid_state` error if the volume or its instance is busy.
   */
  clone(scope: ProjectScope, id: string, draft: VolumeCloneDraft): Promise<Volume>
  /**
   * Creates a private image from this volume in its project, with the properties of the image from which the volume was
   * created.
   */
  uploadToImage(scope: ProjectScope, id: string, imageName: string): Promise<Image>
}

export interface VolumeSnapshotsPort {
  /**
   * Captures the content of a volume, which may be in use. Throws a `validation` error on `volume_id` if the volume
   * does not exist, and an `invalid_state` or `quota_exceeded` error.
   */
  create(scope: ProjectScope, draft: VolumeSnapshotDraft): Promise<VolumeSnapshot>
  update(scope: Scope, id: string, change: VolumeSnapshotChange): Promise<VolumeSnapshot>
  /** Throws a `snapshot_has_children` error if volumes depend on the snapshot. */
  delete(scope: Scope, id: string): Promise<VolumeSnapshot>
  /**
   * Reverts the volume to its newest snapshot. Throws a `snapshot_not_latest` error for another snapshot, and a
   * `volume_in_use` error while the volume is used by an instance that is not stopped.
   */
  revert(scope: Scope, id: string): Promise<VolumeSnapshot>
  /** Creates a private image from the snapshot in its project; see `VolumesPort.uploadToImage`. */
  uploadToImage(scope: ProjectScope, id: string, imageName: string): Promise<Image>
  resetState(scope: Scope, id: string): Promise<VolumeSnapshot>
}

/** How long an object stays in the recycle bin, as RFC 3339 timestamps. */
export interface RecycleHow {
  deleted_at: string
  /** The object can be restored until then. */
  expires_at: string
}

/** Deleted objects that can be restored. All commands throw an `unsupported` error if the engine has no recycle bin. */
export interface RecycleBinPort {
  /**
   * Restores a deleted object with its ID. An instance that was running is started. Returns what could not be restored
   * because it no longer exists or is in use, and addresses that changed. Throws an `invalid_state` error if permanent
   * deletion has started, a `quota_exceeded` error if the quota of instances, ports, vCPUs or memory is not sufficient,
   * or a `no_valid_host` or `no_free_addresses` error.
   */
  restore(scope: Scope, id: string): Promise<Restored>
  /** Deletes an object permanently. Throws an `invalid_state` error if permanent deletion has already started. */
  delete(scope: Scope, id: string): Promise<RecycledItem>
  /** Permanently deletes all objects of a project in the recycle bin. Returns their number. */
  empty(scope: Scope, projectId: string): Promise<number>
}

export interface StoragePort extends UsualPort<'storage'> {
  volumes: VolumesPort
  volumeSnapshots: VolumeSnapshotsPort
  recycleBin: RecycleBinPort
  /**
   * Returns the volume capacity in bytes: of the whole cloud for operators, of the project for other users. A total of
   * -1 means unlimited.
   */
  stat(scope: Scope): Promise<ComputeStat['storage']>
}

declare module './area-ports' {
  interface OwnPorts {
    storage: StoragePort
  }
}
