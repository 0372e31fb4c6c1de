/** Statuses of an instance, exactly as in S2§4. */
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

/** What an instance is busy with; the set is OpenStack's (product notes, 01 §8). */
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

/** The part of an instance that its rules look at. */
export interface InstanceFacts {
  status: InstanceStatus
  task_state: InstanceTaskState | null
  allow_live_resize: boolean
  has_pci_devices: boolean
  flavor: { extra_specs: Record<string, string> }
}
type State = Pick<InstanceFacts, 'status' | 'task_state'>

export const instanceInProgress = ({ status, task_state }: State): boolean =>
  task_state !== null || inProgressStatuses.includes(status)
export const instanceIsRunning = ({ status }: Pick<State, 'status'>): boolean => runningStatuses.includes(status)
export const instanceIsStopped = ({ status }: Pick<State, 'status'>): boolean => stoppedStatuses.includes(status)
export const instanceIsErrored = ({ status }: Pick<State, 'status'>): boolean => erroredStatuses.includes(status)

export const instanceActions = [
  'start',
  'shutDown',
  'powerOff',
  'cancelShutdown',
  'reboot',
  'hardReboot',
  'suspend',
  'resume',
  'pause',
  'unpause',
  'resize',
  'attachVolume',
  'detachVolume',
  'attachInterface',
  'detachInterface',
  'resizeDisk',
  'console',
  'rename',
  'resetState',
  'delete',
] as const
export type InstanceAction = (typeof instanceActions)[number]

const stable: readonly InstanceStatus[] = [
  'ACTIVE',
  'PAUSED',
  'SHUTOFF',
  'SUSPENDED',
  'SHELVED',
  'SHELVED_OFFLOADED',
  'RESCUE',
  'ERROR',
  'UNKNOWN',
]

/** Statuses in which an action may be asked for (product notes, 01 §3). */
const allowedIn: Record<InstanceAction, readonly InstanceStatus[]> = {
  start: ['SHUTOFF'],
  shutDown: ['ACTIVE', 'RESCUE'],
  powerOff: ['ACTIVE', 'PAUSED', 'RESCUE'],
  cancelShutdown: ['ACTIVE', 'RESCUE'],
  reboot: ['ACTIVE'],
  hardReboot: ['ACTIVE', 'SHUTOFF', 'ERROR'],
  suspend: ['ACTIVE'],
  resume: ['SUSPENDED'],
  pause: ['ACTIVE'],
  unpause: ['PAUSED'],
  resize: ['SHUTOFF'],
  attachVolume: ['ACTIVE', 'PAUSED', 'SHUTOFF'],
  detachVolume: ['ACTIVE', 'PAUSED', 'SHUTOFF'],
  attachInterface: ['ACTIVE', 'PAUSED', 'SHUTOFF'],
  detachInterface: ['ACTIVE', 'PAUSED', 'SHUTOFF'],
  resizeDisk: ['ACTIVE', 'PAUSED', 'SHUTOFF'],
  console: ['ACTIVE', 'PAUSED', 'RESCUE', 'LIVE_RESIZE', 'VERIFY_LIVE_RESIZE'],
  rename: stable,
  resetState: instanceStatuses,
  delete: stable,
}

/**
 * Whether an action may be asked for now. Nothing may be asked of an instance in progress, except to cut the
 * power while it shuts down, to cancel that shutdown, to look at its screen and to reset its state.
 */
export function instanceCan(action: InstanceAction, instance: InstanceFacts): boolean {
  const { status, task_state } = instance
  if (action === 'resetState') return true
  if (action === 'console') return allowedIn.console.includes(status) && task_state !== 'deleting'
  if (task_state === 'powering-off') return action === 'powerOff' || action === 'cancelShutdown'
  if (action === 'cancelShutdown' || instanceInProgress(instance)) return false
  if (action === 'resize' && status === 'ACTIVE') return instance.allow_live_resize
  return allowedIn[action].includes(status)
}

/** Live resize needs allow_live_resize and ACTIVE (S2§4). */
export const canLiveResize = (instance: InstanceFacts): boolean =>
  instance.allow_live_resize && instance.status === 'ACTIVE' && !instanceInProgress(instance)

/** Live migration is unavailable with PCI devices or a vGPU flavor (S2§4). */
export const canLiveMigrate = (instance: InstanceFacts): boolean =>
  instance.status === 'ACTIVE' &&
  !instanceInProgress(instance) &&
  !instance.has_pci_devices &&
  !Object.entries(instance.flavor.extra_specs).some(([name, value]) => /vgpu/i.test(name) || /vgpu/i.test(value))

/** The status that an action leads to when all goes well (S2§4). */
export const expectedStatus = {
  stop: 'SHUTOFF',
  resume: 'ACTIVE',
  suspend: 'SUSPENDED',
  shelve: 'SHELVED_OFFLOADED',
  unshelve: 'ACTIVE',
  reboot: 'ACTIVE',
  start: 'ACTIVE',
  pause: 'PAUSED',
  unpause: 'ACTIVE',
  reset: 'ACTIVE',
  stopMigrate: 'ACTIVE',
  evacuate: 'ACTIVE',
} as const satisfies Record<string, InstanceStatus>

/** Most instances that one call makes. */
export const MAX_INSTANCES_PER_CREATE = 20
/** Most bytes of a script, after base64. */
export const MAX_USER_DATA_BASE64 = 16 * 1024
/** How long a guest has to obey the power button, seconds; -1 waits for ever. */
export const DEFAULT_SHUTDOWN_SECONDS = 60
export const MAX_SHUTDOWN_SECONDS = 600
/** A console ticket lives this long, and is spent by its first use. */
export const CONSOLE_TICKET_SECONDS = 60
/** The most of a console log that is kept and answered, bytes. */
export const CONSOLE_LOG_BYTES = 1024 * 1024
