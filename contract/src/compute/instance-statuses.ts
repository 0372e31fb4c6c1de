/** Instance statuses, exactly as in S2§4. */
export const instanceStatuses = [
  'ACTIVE',
  'BUILD',
  'HARD_REBOOT',
  'MIGRATING',
  'PASSWORD',
  'REBOOT',
  'REBUILD',
  'RESIZE',
  'REVERT_RESIZE',
  'VERIFY_RESIZE',
  'PAUSED',
  'SHELVED',
  'SHELVED_OFFLOADED',
  'SHUTOFF',
  'SUSPENDED',
  'RESCUE',
  'DELETED',
  'ERROR',
  'SOFT_DELETED',
  'UNKNOWN',
  'LIVE_RESIZE',
  'VERIFY_LIVE_RESIZE',
] as const
export type InstanceStatus = (typeof instanceStatuses)[number]

/** Task states of an instance, as in the product notes, 01 §8. */
export const instanceTaskStates = [
  'scheduling',
  'block_device_mapping',
  'networking',
  'spawning',
  'image_snapshot',
  'image_snapshot_pending',
  'image_pending_upload',
  'image_uploading',
  'image_backup',
  'updating_password',
  'resize_prep',
  'resize_migrating',
  'resize_migrated',
  'resize_finish',
  'resize_reverting',
  'resize_confirming',
  'rebooting',
  'reboot_pending',
  'reboot_started',
  'rebooting_hard',
  'reboot_pending_hard',
  'reboot_started_hard',
  'pausing',
  'unpausing',
  'suspending',
  'resuming',
  'powering-off',
  'powering-on',
  'rescuing',
  'unrescuing',
  'rebuilding',
  'rebuild_block_device_mapping',
  'rebuild_spawning',
  'migrating',
  'deleting',
  'soft-deleting',
  'restoring',
  'shelving',
  'shelving_image_pending_upload',
  'shelving_image_uploading',
  'shelving_offloading',
  'unshelving',
] as const
export type InstanceTaskState = (typeof instanceTaskStates)[number]

const inProgressStatuses: readonly InstanceStatus[] = [
  'BUILD',
  'REBOOT',
  'HARD_REBOOT',
  'MIGRATING',
  'PASSWORD',
  'REBUILD',
  'RESIZE',
  'REVERT_RESIZE',
  'VERIFY_RESIZE',
  'LIVE_RESIZE',
  'VERIFY_LIVE_RESIZE',
]
const runningStatuses: readonly InstanceStatus[] = ['ACTIVE', 'LIVE_RESIZE', 'VERIFY_LIVE_RESIZE', 'RESCUE']
const stoppedStatuses: readonly InstanceStatus[] = ['SUSPENDED', 'PAUSED', 'SHUTOFF', 'SHELVED', 'SHELVED_OFFLOADED']
const erroredStatuses: readonly InstanceStatus[] = ['ERROR', 'UNKNOWN']

interface State {
  status: InstanceStatus
  task_state: InstanceTaskState | null
}

export const instanceInProgress = ({ status, task_state }: State): boolean =>
  task_state !== null || inProgressStatuses.includes(status)
export const instanceIsRunning = ({ status }: Pick<State, 'status'>): boolean => runningStatuses.includes(status)
export const instanceIsStopped = ({ status }: Pick<State, 'status'>): boolean => stoppedStatuses.includes(status)
export const instanceIsErrored = ({ status }: Pick<State, 'status'>): boolean => erroredStatuses.includes(status)
/**
 * Whether an instance's vCPUs and memory count towards quotas and its node's usage. Those of an offloaded instance do
 * not count until it is unshelved (I2).
 */
export const countsTowardsQuota = ({ status, task_state }: State): boolean =>
  status !== 'SHELVED_OFFLOADED' || task_state === 'unshelving'
