export const storage = {
  attached_volume_grows_not: [
    'unsupported',
    'This version of the cloud cannot extend attached volumes. Detach the volume first.',
  ],
  backup_damaged: [
    'backup_damaged',
    'The stored file of the recovery point “{name}” is damaged. Restore a recovery point that does not need it.',
  ],
  backup_has_children: [
    'backup_has_children',
    'Later recovery points need this one, because they only contain changes. Delete them first.',
  ],
  backup_not_now: ['invalid_state', 'This action is not available while the status of the recovery point is {status}'],
  backup_target_changed: [
    'backup_target_unavailable',
    'The recovery point is stored elsewhere, because the recovery point storage has been changed since. An operator can choose the earlier storage again.',
  ],
  backup_waits: [
    'backup_target_unavailable',
    'The recovery point storage cannot be used now. Operators see the reason under Infrastructure, Recovery point storage.',
  ],
  backups_need_password_account: [
    'unsupported',
    'Backup plans require that the service account of the cloud signs in with a password. Create the recovery point yourself, or ask an operator.',
  ],
  backup_target_elsewhere: ['unsupported', 'The cloud determines where recovery points are stored'],
  being_deleted: ['invalid_state', 'This object is already being permanently deleted'],
  busy_disk_not_copied: [
    'invalid_state',
    'The virtual machine “{name}” is busy (status {status}, task {task}). Its disk cannot be copied now.',
  ],
  copy_size: 'A copy must be at least as large as the original volume',
  days: 'Choose a last day that is not before the first one, and at most {most} days',
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
  one_source: 'A volume is created from an image or from a snapshot, not from both',
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
    'The volume is attached to the virtual machine “{name}”, which is not stopped. Stop it, or detach the volume.',
  ],
  target_changed_meanwhile: [
    'conflict',
    'The recovery point storage was changed before the recovery point was stored. Create another one.',
  ],
  tier_is_folder: [
    'unsupported',
    'Tier 0 is a folder on this host, so it is encrypted only if the disk below the folder is. To encrypt it, set up LUKS on that disk.',
  ],
  tier_missing: ['unsupported', 'This host has only tier 0'],
  tiers_of_cloud: [
    'unsupported',
    'The connected cloud has no tiers. Its volume types determine which volumes are encrypted.',
  ],
  time_zone: 'Use the name of a time zone, such as Europe/Berlin',
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
