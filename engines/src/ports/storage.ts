import type { ComputeStat } from '@mainstay/contract/compute/compute-cluster'
import type { RecycledItem, Restored } from '@mainstay/contract/storage/recycle-bin'
import type { Image } from '@mainstay/contract/compute/images'
import type { Volume, VolumeChange, VolumeCloneDraft, VolumeDraft } from '@mainstay/contract/storage/volumes'
import type { UsualPort } from './plain'
import type { ProjectScope, Scope } from './scope'

/* What an engine of storage does. Commands answer and refuse as those of compute do (see `compute.ts`). */

export interface VolumesPort {
  create(scope: ProjectScope, draft: VolumeDraft): Promise<Volume>
  update(scope: Scope, id: string, change: VolumeChange): Promise<Volume>
  delete(scope: Scope, id: string): Promise<Volume>
  /** Into the recycle bin. What was never made is deleted. Throws `unsupported` where there is no bin. */
  recycle(scope: Scope, id: string, how: RecycleHow): Promise<Volume>
  extend(scope: Scope, id: string, sizeBytes: number): Promise<Volume>
  resetState(scope: Scope, id: string): Promise<Volume>
  /**
   * Makes a volume with a copy of this one, in its project; of one in use as it is at this moment. Throws `invalid_state` where
   * the volume, or who has it, is busy.
   */
  clone(scope: ProjectScope, id: string, draft: VolumeCloneDraft): Promise<Volume>
  /** Makes a private image with a copy of this volume, in its project, with what is known of the image that it was made from. */
  uploadToImage(scope: ProjectScope, id: string, imageName: string): Promise<Image>
}

/** How long something stays in the recycle bin; times by RFC 3339. */
export interface RecycleHow {
  deleted_at: string
  /** Until then it can be restored. */
  expires_at: string
}

/** What was deleted and can be restored. All throw `unsupported` where there is no bin. */
export interface RecycleBinPort {
  /**
   * Gives back what was deleted, under its id. A machine that ran is started again. What it had and is gone or taken is
   * left out, and answered; so are addresses that differ. Throws `invalid_state` where it is being deleted for good,
   * `quota_exceeded` where instances, ports, vCPUs or memory are not left, and `no_valid_host`, `no_free_addresses`.
   */
  restore(scope: Scope, id: string): Promise<Restored>
  /** Deletes it for good. Throws `invalid_state` where that is being done. */
  delete(scope: Scope, id: string): Promise<RecycledItem>
  /** Deletes for good all of a project; answers how many. */
  empty(scope: Scope, projectId: string): Promise<number>
}

export interface StoragePort extends UsualPort<'storage'> {
  volumes: VolumesPort
  recycleBin: RecycleBinPort
  /** Bytes of volumes: of everything for an operator, of the project for others. A total of -1 is one without an end. */
  stat(scope: Scope): Promise<ComputeStat['storage']>
}

declare module './area-ports' {
  interface OwnPorts {
    storage: StoragePort
  }
}
