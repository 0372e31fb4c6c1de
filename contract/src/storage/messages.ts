export const storage = {
  attached_volume_grows_not: [
    'unsupported',
    'This version of the cloud cannot extend attached volumes. Detach the volume first.',
  ],
  backup_damaged: [
    'backup_damaged',
    'The stored file of the recovery point “{name}” is damaged. Restore a recovery point that does not depend on it.',
  ],
  backup_has_children: [
    'backup_has_children',
    'Later recovery points depend on this one, because they contain only changes. Delete them first.',
  ],
  backup_not_now: ['invalid_state', 'This action is not available while the status of the recovery point is {status}'],
  backup_target_changed: [
    'backup_target_unavailable',
    'The recovery point is in a previous recovery point storage, which is no longer in use. An operator can select that storage again.',
  ],
  backup_waits: [
    'backup_target_unavailable',
    'The recovery point storage is not available at the moment. Operators can see the reason under Infrastructure > Recovery point storage.',
  ],
  backups_need_password_account: [
    'unsupported',
    'Backup plans work only if the service account of the cloud signs in with a password. Create recovery points manually, or ask an operator.',
  ],
  backup_target_elsewhere: ['unsupported', 'The cloud determines where recovery points are stored'],
  being_deleted: ['invalid_state', 'This object is already being permanently deleted'],
  busy_disk_not_copied: [
    'invalid_state',
    'The virtual machine “{name}” is busy (status {status}, task {task}). Its disk cannot be copied now.',
  ],
  copy_size: 'A copy must be at least as large as the original volume',
  detach_before_revert: [
    'volume_in_use',
    'This cloud can revert a volume only while it is detached. Detach it from the virtual machine “{name}” first, or create a volume from the snapshot.',
  ],
  disk_cannot_be_copied: ['invalid_state', 'The disk cannot be copied while the virtual machine status is {status}'],
  disk_cannot_grow: ['invalid_state', 'The disk cannot be extended while the virtual machine status is {status}'],
  extended_since_snapshot: [
    'unsupported',
    'The volume has been extended since the snapshot was created, so this cloud cannot revert it. Create a volume from the snapshot instead.',
  ],
  file_not_found: ['not_found', 'The recovery point has no such file'],
  file_path: 'Use an absolute path without empty parts, “.” and “..”, such as /etc/hosts',
  file_system_missing: ['not_found', 'The recovery point has no such file system'],
  file_system_unreadable: [
    'file_system_unreadable',
    'The file system could not be read. It may be damaged. Restore the recovery point to a new volume, and repair it there.',
  ],
  files_archive_large: 'An archive can have at most {most} files and {gib} GiB. Select fewer files and folders.',
  files_elsewhere: [
    'unsupported',
    'This cloud cannot read the files in recovery points. Restore the recovery point to a new volume, and attach it to a virtual machine.',
  ],
  files_not_open: ['invalid_state', 'The files of the recovery point are not open. Open them first.'],
  files_of_another_volume: 'Use a recovery point of the same volume',
  files_opening: ['invalid_state', 'The files of the recovery point are being opened. Try again in a moment.'],
  files_reader_missing: [
    'unsupported',
    'The files cannot be read, because the reader of file systems is missing on this host. {reason}',
  ],
  files_too_many: [
    'too_many_requests',
    'The files of {most, plural, one {# recovery point is} other {# recovery points are}} already open. Close one of them, or try again in {minutes} minutes.',
  ],
  id_or_plan: ['invalid_filter', 'Use either id or backup_plan_id, not both'],
  images_elsewhere: [
    'unsupported',
    'Volumes cannot be created from images, because different engines manage volumes and images',
  ],
  images_elsewhere_now: [
    'unsupported',
    'Images cannot be created from volumes, because different engines manage volumes and images',
  ],
  name_project: 'Specify the project whose recycle bin you want to empty',
  named_disk_not_copied: [
    'invalid_state',
    'The status of the virtual machine “{name}” is {status}. Its disk cannot be copied now.',
  ],
  named_volume_changing: ['invalid_state', 'The volume “{name}” is being changed (status {status}). Try again later.'],
  no_image_of_attached: ['unsupported', 'This cloud cannot create an image from an attached volume. {advice}'],
  no_recycle_bin: ['unsupported', 'This cloud has no recycle bin. Deletion is permanent.'],
  no_such_policy: 'This storage policy does not exist',
  no_volumes_to_back_up: ['validation', 'The virtual machine has no volumes'],
  no_such_snapshot: 'This snapshot does not exist',
  not_verifiable: ['unsupported', 'This cloud cannot verify recovery points'],
  one_policy: ['invalid_filter', 'Use either storage_policy or storage_policy_id, not both'],
  one_source: 'Specify either an image or a snapshot as the source of the volume, not both',
  policy_is_fixed: ['unsupported', 'The storage policy of a volume cannot be changed in this cloud'],
  restore_slow: [
    'conflict',
    'The cloud did not create a volume within {seconds} s, so nothing was restored. Try again later.',
  ],
  restore_without_volume: ['conflict', 'The cloud could not create a volume for the recovery point. {reason}'],
  snapshot_copy_slow: [
    'unsupported',
    'The cloud did not copy the snapshot within {seconds} s. Create a volume from the snapshot, then create an image from the volume.',
  ],
  snapshot_has_children: [
    'snapshot_has_children',
    'Volumes that were created from the snapshot depend on it. Delete them first.',
  ],
  snapshot_not_copied: ['conflict', 'The cloud could not copy the snapshot to a temporary volume. {reason}'],
  snapshot_not_latest: [
    'snapshot_not_latest',
    'A volume can only be reverted to its newest snapshot, which is “{name}”. Create a volume from this snapshot, or delete the newer snapshots first.',
  ],
  snapshot_not_now: ['invalid_state', 'This action is not available while the snapshot status is {status}'],
  stop_before_revert: [
    'volume_in_use',
    'The volume is attached to the virtual machine “{name}”, which is not shut down. Shut down the virtual machine, or detach the volume.',
  ],
  target_changed_meanwhile: [
    'conflict',
    'The recovery point storage was changed before the recovery point was stored. Create another recovery point.',
  ],
  tier_is_folder: [
    'unsupported',
    'Tier 0 is a folder on this host, so its data is encrypted only if the underlying disk is encrypted. To encrypt the disk, set up LUKS on it.',
  ],
  tier_missing: ['unsupported', 'This host has only tier 0'],
  tiers_of_cloud: [
    'unsupported',
    'The connected cloud has no tiers. Its volume types determine which volumes are encrypted.',
  ],
  too_many_snapshots: ['quota_exceeded', 'A volume can have at most {most} snapshots. Delete some of them first.'],
  volume_attached: ['volume_in_use', 'The volume is attached to a virtual machine. Detach it first.'],
  volume_changing: ['invalid_state', 'The volume is being attached or detached. Try again in a moment.'],
  volume_has_snapshots: [
    'volume_has_snapshots',
    'The volume “{name}” has {count, plural, one {# snapshot} other {# snapshots}}. Delete them first, or delete them with the volume.',
  ],
  volume_not_now: ['invalid_state', 'This action is not available while the volume status is {status}'],
  volume_of_another_project: [
    'unsupported',
    'The volume belongs to another project. Switch to that project to copy it.',
  ],
  volume_only_grows: 'Enter a size that is larger than the current size',
  volume_too_large: 'Use at most {most} TiB',
  volume_too_small: 'Use at least {least} GiB',
  whole_gib: 'Enter a whole number of GiB',
} as const
