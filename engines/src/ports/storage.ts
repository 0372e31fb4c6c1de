import type { Readable } from 'node:stream'
import type { ComputeStat } from '@mainstay/contract/compute/compute-cluster'
import type { RecycledItem, Restored } from '@mainstay/contract/storage/recycle-bin'
import type { Image } from '@mainstay/contract/compute/images'
import type { ClusterSettingsChange, TierEncryption } from '@mainstay/contract/infrastructure/cluster-settings'
import type { FileEntry, FilesSession, FileSystem } from '@mainstay/contract/storage/backup-files'
import type { BackupTarget, BackupTargetChange } from '@mainstay/contract/storage/backup-target'
import type { Volume, VolumeChange, VolumeCloneDraft, VolumeDraft } from '@mainstay/contract/storage/volumes'
import type {
  Restoration,
  RestoreCheck,
  RestoreDraft,
  VolumeBackup,
  VolumeBackupDraft,
} from '@mainstay/contract/storage/volume-backups'
import type {
  VolumeSnapshot,
  VolumeSnapshotChange,
  VolumeSnapshotDraft,
} from '@mainstay/contract/storage/volume-snapshots'
import type { FailureDomain } from '@mainstay/contract/infrastructure/location-rules'
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

/** Options for creating recovery points that belong together. */
export interface InstantOrder {
  /**
   * One volume, or volumes that are attached to the same virtual machine. Engines that can do so capture all of them at
   * the same moment.
   */
  volume_ids: readonly string[]
  name: string
  description: string
  /** Stores the whole content of the volumes. */
  full: boolean
  /** The plan that creates the recovery points; null if a user creates them. */
  plan: { id: string; name: string } | null
}

export interface VolumeBackupsPort {
  /** Like `createInstant` for one volume. Throws a `validation` error on `volume_id` if the volume does not exist. */
  create(scope: ProjectScope, draft: VolumeBackupDraft): Promise<VolumeBackup>
  /**
   * Starts creating a recovery point of each of these volumes, which may be in use. Returns the rows, with the status
   * `creating`. Throws a `not_found` error if a volume does not exist, and an `invalid_state`, `quota_exceeded` or
   * `backup_target_unavailable` error. In each of these cases, no recovery point is created.
   */
  createInstant(scope: ProjectScope, order: InstantOrder): Promise<VolumeBackup[]>
  /** Throws a `backup_has_children` error if other recovery points need this one. */
  delete(scope: Scope, id: string): Promise<VolumeBackup>
  /**
   * Removes recovery points that a plan no longer keeps. `ids` lists recovery points of one volume, oldest first. If
   * other recovery points depend on one of them, it is kept for now, or merged into the next one, which then becomes a
   * full recovery point.
   */
  expire(scope: Scope, ids: readonly string[]): Promise<void>
  /**
   * Restores a recovery point to a new volume in its project. Throws a `quota_exceeded`, `backup_damaged` or
   * `backup_target_unavailable` error.
   */
  restore(scope: ProjectScope, id: string, draft: RestoreDraft): Promise<Restoration>
  /**
   * Runs the checks that are possible before these recovery points are restored together. Throws only a `not_found`
   * error.
   */
  checkRestore(scope: Scope, ids: readonly string[]): Promise<RestoreCheck[]>
  /** Throws an `unsupported` error if the engine cannot read recovery points back. */
  verify(scope: Scope, id: string): Promise<VolumeBackup>
}

/** A file or folder in a recovery point. Paths are those of the contract. */
export interface FilePlace {
  file_system: string
  path: string
}

/**
 * The files of recovery points. A session belongs to a user and a recovery point. All commands throw an `unsupported`
 * error if the engine cannot read files, and a `not_found` error if the recovery point does not exist. Those that need a
 * session throw `invalid_state` if there is none or it is not ready, and `file_system_unreadable` if reading fails.
 */
export interface BackupFilesPort {
  /**
   * Begins to open the files, or returns the session that exists. Throws a `too_many_requests`, `backup_damaged` or
   * `backup_target_unavailable` error.
   */
  open(scope: Scope, id: string): Promise<FilesSession>
  view(scope: Scope, id: string): Promise<FilesSession>
  close(scope: Scope, id: string): Promise<void>
  fileSystems(scope: Scope, id: string): Promise<FileSystem[]>
  entries(
    scope: Scope,
    id: string,
    place: FilePlace & { compare_with?: string | undefined },
  ): Promise<{ entries: FileEntry[]; truncated: boolean }>
  /** The files and folders in a folder, at any depth, and the folder or file itself. `isCut`: there are too many. */
  tree(
    scope: Scope,
    id: string,
    place: FilePlace,
  ): Promise<{
    files: { path: string; kind: 'file' | 'folder'; sizeBytes: number; modified: Date | null }[]
    isCut: boolean
  }>
  /** Opens a file. Its stream fails if the file system becomes unreadable. */
  read(scope: Scope, id: string, place: FilePlace): Promise<{ name: string; sizeBytes: number; bytes: Readable }>
}

/** The location where recovery points are stored. */
export interface BackupTargetPort {
  view(): Promise<BackupTarget>
  /**
   * Tests a new target and uses it from now on. Recovery points at the previous target become unavailable. Throws a
   * `validation` error on the field, a `backup_target_unavailable` error, or `unsupported` if the cloud determines the
   * target.
   */
  set(change: BackupTargetChange): Promise<BackupTarget>
}

/** Encryption of the disks of storage tiers. */
export interface EncryptionPort {
  /** Returns whether new data is encrypted, for each tier. */
  read(): Promise<TierEncryption>
  /**
   * Starts a task that changes the given tiers, and returns its ID; null if nothing has to be changed. Existing data is
   * not converted. Throws an `unsupported` error on the field of a tier that cannot be changed, and then changes no
   * tier.
   */
  change(scope: Scope, wanted: ClusterSettingsChange['encryption']): Promise<string | null>
}

/** A storage tier. Sizes in bytes; `used` includes everything that is stored on the same file system. */
export interface TierFacts {
  tier: number
  /** The folder that contains the data. */
  folder: string
  used: number
  free: number
  copies: number
  /** Level across which the copies are distributed. */
  failure_domain: FailureDomain
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
   * Restores a deleted object with its ID. An instance that was running is started. Returns the parts that could not be
   * restored because they no longer exist or are in use, and the addresses that changed. Throws an `invalid_state`
   * error if permanent deletion has started, a `quota_exceeded` error if the quota of instances, ports, vCPUs or memory
   * is not sufficient, or a `no_valid_host` or `no_free_addresses` error.
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
  volumeBackups: VolumeBackupsPort
  backupFiles: BackupFilesPort
  backupTarget: BackupTargetPort
  encryption: EncryptionPort
  recycleBin: RecycleBinPort
  /**
   * Returns the volume capacity in bytes: of the whole cloud for operators, of the project for other users. A total of
   * -1 means unlimited.
   */
  stat(scope: Scope): Promise<ComputeStat['storage']>
  /** Returns the tiers that exist; null if the engine does not know them, because a cloud stores the data. */
  tiers(): Promise<TierFacts[] | null>
}

declare module './area-ports' {
  interface OwnPorts {
    storage: StoragePort
  }
}
