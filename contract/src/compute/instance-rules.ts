import { says, type RuleText } from '../core/said'
import { instanceInProgress, instanceStatuses, type InstanceStatus, type InstanceTaskState } from './instance-statuses'

// what is ruled about statuses is imported from here, whichever file of this folder says it
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

/** The part of an instance that its rules look at. */
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
 * The volumes that are deleted together with an instance: those that were chosen, or (null) those that are flagged so. Chosen
 * ones that it does not have are passed over.
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

/** Whether there is a screen to sit before. */
export const instanceHasConsole = ({ status, task_state }: Pick<InstanceFacts, 'status' | 'task_state'>): boolean =>
  allowedIn.console.includes(status) && task_state !== 'deleting'

/**
 * Whether an action may be asked for now. Nothing may be asked of an instance in progress, except to cut the
 * power while it shuts down, to cancel that shutdown, to stop its migration, to look at its screen and to reset its state.
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

/** Whether an instance in error is to be brought up by this: only a hard reboot does that. */
export const wantsHardReboot = (action: InstanceAction, { status }: Pick<InstanceFacts, 'status'>): boolean =>
  status === 'ERROR' && (action === 'start' || action === 'reboot')

/** The message that refuses an action which `instanceCan` does not allow now. */
export function whyNotNow(action: InstanceAction, instance: Pick<InstanceFacts, 'status' | 'task_state'>): RuleText {
  const { status, task_state } = instance
  if (task_state !== null) return says('compute.instance_busy', { task: task_state, status })
  if (wantsHardReboot(action, instance)) return says('compute.instance_needs_hard_reboot')
  return says('compute.instance_not_now', { status })
}

/** Live resize needs allow_live_resize and ACTIVE (S2§4). */
export const canLiveResize = (instance: InstanceFacts): boolean =>
  instance.allow_live_resize && instance.status === 'ACTIVE' && !instanceInProgress(instance)

/** Whether its flavor gives it a part of a graphics card, which no other node could go on with. */
export const hasVgpu = ({ flavor }: Pick<InstanceFacts, 'flavor'>): boolean =>
  Object.entries(flavor.extra_specs).some(([name, value]) => /vgpu/i.test(name) || /vgpu/i.test(value))

/** Live migration is unavailable with PCI devices or a vGPU flavor (S2§4). */
const mayMoveLive = (instance: InstanceFacts): boolean => !instance.has_pci_devices && !hasVgpu(instance)

/** Whether the node of an instance has let go of it, so that another one may take it. */
export const isNodeGone = ({ host_status }: Pick<InstanceFacts, 'host_status'>): boolean =>
  host_status === 'DOWN' || host_status === 'UNKNOWN'

/** What some actions ask for beyond the status. */
const needsMore: Partial<Record<InstanceAction, (instance: InstanceFacts) => boolean>> = {
  setPassword: ({ allow_set_password }) => allow_set_password,
  migrate: (instance) => !isNodeGone(instance) && (instance.status !== 'ACTIVE' || mayMoveLive(instance)),
  evacuate: isNodeGone,
}

/** Most instances that one call makes. */
export const MAX_INSTANCES_PER_CREATE = 20
/** Most words of metadata that one instance has. */
export const MAX_METADATA = 128
/** Most characters of a script as base64, without line breaks: 48 KiB of text. */
export const MAX_USER_DATA_BASE64 = 64 * 1024
/** How long a guest has to obey the power button, seconds; -1 waits for ever. */
export const DEFAULT_SHUTDOWN_SECONDS = 60
export const MAX_SHUTDOWN_SECONDS = 600
/** A console ticket lives this long, and is spent by its first use. */
export const CONSOLE_TICKET_SECONDS = 60
/** The most of a console log that is kept and answered, bytes. */
export const CONSOLE_LOG_BYTES = 1024 * 1024
