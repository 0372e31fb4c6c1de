import { says, type RuleText } from '../core/said'
import { instanceInProgress, instanceStatuses, type InstanceStatus, type InstanceTaskState } from './instance-statuses'

// the status rules are re-exported so that callers need only one import
export {
  instanceInProgress,
  instanceIsErrored,
  instanceIsRunning,
  instanceIsStopped,
  instanceStatuses,
  countsTowardsQuota as instanceTakesRoom,
  instanceTaskStates,
  type InstanceStatus,
  type InstanceTaskState,
} from './instance-statuses'

/** The fields of an instance that the rules depend on. */
export interface InstanceFacts {
  status: InstanceStatus
  task_state: InstanceTaskState | null
  host_status: 'UP' | 'DOWN' | 'MAINTENANCE' | 'UNKNOWN'
  allow_live_resize: boolean
  allow_set_password: boolean
  has_pci_devices: boolean
  flavor: { extra_specs: Record<string, string> }
}

/**
 * Returns the volumes that are deleted together with an instance: the chosen ones or, if `chosen` is null, those
 * flagged with `delete_on_termination`. IDs of other volumes are ignored.
 */
export const volumesToDelete = <Volume extends { id: string; delete_on_termination: boolean }>(
  { volumes }: { volumes: readonly Volume[] },
  chosen: readonly string[] | null,
): Volume[] => volumes.filter(({ id, delete_on_termination: isFlagged }) => chosen?.includes(id) ?? isFlagged)

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
  'shelve',
  'unshelve',
  'rescue',
  'unrescue',
  'resize',
  'resizeWithRestart',
  'attachVolume',
  'detachVolume',
  'attachInterface',
  'detachInterface',
  'resizeDisk',
  'console',
  'setPassword',
  'migrate',
  'evacuate',
  'stopMigration',
  'rename',
  'editMetadata',
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

/** Statuses in which each action is allowed (product notes, 01 §3). */
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
  shelve: ['ACTIVE', 'PAUSED', 'SHUTOFF', 'SUSPENDED'],
  unshelve: ['SHELVED', 'SHELVED_OFFLOADED'],
  rescue: ['ACTIVE', 'SHUTOFF', 'ERROR'],
  unrescue: ['RESCUE'],
  resize: ['SHUTOFF'],
  resizeWithRestart: ['ACTIVE'],
  attachVolume: ['ACTIVE', 'PAUSED', 'SHUTOFF'],
  detachVolume: ['ACTIVE', 'PAUSED', 'SHUTOFF'],
  attachInterface: ['ACTIVE', 'PAUSED', 'SHUTOFF'],
  detachInterface: ['ACTIVE', 'PAUSED', 'SHUTOFF'],
  resizeDisk: ['ACTIVE', 'PAUSED', 'SHUTOFF'],
  console: ['ACTIVE', 'PAUSED', 'RESCUE', 'LIVE_RESIZE', 'VERIFY_LIVE_RESIZE'],
  setPassword: ['ACTIVE'],
  migrate: ['ACTIVE', 'SHUTOFF'],
  evacuate: ['ACTIVE', 'SHUTOFF', 'ERROR'],
  stopMigration: ['MIGRATING'],
  rename: stable,
  editMetadata: ['ACTIVE', 'PAUSED', 'SHUTOFF', 'SUSPENDED'],
  resetState: instanceStatuses,
  delete: stable,
}

/** Whether an instance's console is available. */
export const instanceHasConsole = ({ status, task_state }: Pick<InstanceFacts, 'status' | 'task_state'>): boolean =>
  allowedIn.console.includes(status) && task_state !== 'deleting'

/**
 * Whether an action is allowed now. While an operation is in progress, the only actions allowed are power off and
 * cancel (during a shutdown), stopping a migration, opening the console and resetting the state.
 */
export function instanceCan(action: InstanceAction, instance: InstanceFacts): boolean {
  const { status, task_state } = instance
  if (action === 'resetState') return true
  if (action === 'console') return instanceHasConsole(instance)
  if (action === 'stopMigration') return allowedIn.stopMigration.includes(status)
  if (task_state === 'powering-off') return action === 'powerOff' || action === 'cancelShutdown'
  if (action === 'cancelShutdown' || instanceInProgress(instance)) return false
  if (action === 'resize' && status === 'ACTIVE') return instance.allow_live_resize
  const also = needsMore[action]
  return allowedIn[action].includes(status) && (!also || also(instance))
}

/** Whether to suggest a hard reboot instead, which is the only way to start an instance in the error state. */
export const wantsHardReboot = (action: InstanceAction, { status }: Pick<InstanceFacts, 'status'>): boolean =>
  status === 'ERROR' && (action === 'start' || action === 'reboot')

/** Returns the error message for an action that `instanceCan` does not currently allow. */
export function whyNotNow(action: InstanceAction, instance: Pick<InstanceFacts, 'status' | 'task_state'>): RuleText {
  const { status, task_state } = instance
  if (task_state !== null) return says('compute.instance_busy', { task: task_state, status })
  if (wantsHardReboot(action, instance)) return says('compute.instance_needs_hard_reboot')
  return says('compute.instance_not_now', { status })
}

/** Whether an instance can be resized live, which requires allow_live_resize and ACTIVE (S2§4). */
export const canLiveResize = (instance: InstanceFacts): boolean =>
  instance.allow_live_resize && instance.status === 'ACTIVE' && !instanceInProgress(instance)

/** Whether the flavor includes a vGPU, whose state cannot be moved to another node. */
export const hasVgpu = ({ flavor }: Pick<InstanceFacts, 'flavor'>): boolean =>
  Object.entries(flavor.extra_specs).some(([name, value]) => /vgpu/i.test(name) || /vgpu/i.test(value))

/** Whether an instance can be migrated live, which is not possible with PCI devices or a vGPU flavor (S2§4). */
const mayMoveLive = (instance: InstanceFacts): boolean => !instance.has_pci_devices && !hasVgpu(instance)

/** Whether the instance's node is down or in an unknown state, which allows another node to take over. */
export const isNodeGone = ({ host_status }: Pick<InstanceFacts, 'host_status'>): boolean =>
  host_status === 'DOWN' || host_status === 'UNKNOWN'

/** Conditions that some actions require in addition to the status. */
const needsMore: Partial<Record<InstanceAction, (instance: InstanceFacts) => boolean>> = {
  setPassword: ({ allow_set_password }) => allow_set_password,
  migrate: (instance) => !isNodeGone(instance) && (instance.status !== 'ACTIVE' || mayMoveLive(instance)),
  evacuate: isNodeGone,
}

/** Maximum number of instances per create call. */
export const MAX_INSTANCES_PER_CREATE = 20
/** Maximum number of metadata entries per instance. */
export const MAX_METADATA = 128
/** Maximum length of a base64-encoded user data script without line breaks; equivalent to 48 KiB of text. */
export const MAX_USER_DATA_BASE64 = 64 * 1024
/** How long a guest may take to shut down, in seconds; -1 waits indefinitely. */
export const DEFAULT_SHUTDOWN_SECONDS = 60
export const MAX_SHUTDOWN_SECONDS = 600
/** Lifetime of a console ticket in seconds. A ticket can be used once. */
export const CONSOLE_TICKET_SECONDS = 60
/** Maximum size of the console log that is kept and returned, in bytes. */
export const CONSOLE_LOG_BYTES = 1024 * 1024
