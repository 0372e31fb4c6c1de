import {
  instanceInProgress,
  isNodeGone,
  type InstanceStatus,
  type InstanceTaskState,
} from '@mainstay/contract/compute/instance-rules'
import type { Instance } from '@mainstay/contract/compute/instances'
import type { Key } from '../../../i18n/catalogues'
import {
  ClockIcon,
  PausedIcon,
  RescuedIcon,
  ShelvedIcon,
  StoppedIcon,
  SuspendedIcon,
  WarnIcon,
  type Icon,
} from '../../../ui/icons'
import type { Tone } from '../../../ui/tone'

interface Shown {
  tone: Tone
  icon?: Icon
  text: Key<'instances'>
}

type State = Pick<Instance, 'status' | 'task_state' | 'host_status'>

const busy = (text: Key<'instances'>): Shown => ({ tone: 'busy', text })

/** How each status is shown while no task is running (product notes, 01 §8). */
const calm: Partial<Record<InstanceStatus, Shown>> = {
  ACTIVE: { tone: 'ok', text: 'instances.status.active' },
  RESCUE: { tone: 'warn', icon: RescuedIcon, text: 'instances.status.rescue' },
  SHUTOFF: { tone: 'idle', icon: StoppedIcon, text: 'instances.status.shutoff' },
  SUSPENDED: { tone: 'idle', icon: SuspendedIcon, text: 'instances.status.suspended' },
  PAUSED: { tone: 'idle', icon: PausedIcon, text: 'instances.status.paused' },
  SHELVED: { tone: 'idle', icon: ShelvedIcon, text: 'instances.status.shelved' },
  SHELVED_OFFLOADED: { tone: 'idle', icon: ShelvedIcon, text: 'instances.status.shelved' },
  ERROR: { tone: 'bad', text: 'instances.status.error' },
  UNKNOWN: { tone: 'warn', icon: WarnIcon, text: 'instances.status.unknown' },
  DELETED: { tone: 'idle', text: 'instances.status.deleted' },
  SOFT_DELETED: { tone: 'idle', text: 'instances.status.deleted' },
}

const doing: Partial<Record<InstanceStatus, Shown>> = {
  BUILD: busy('instances.doing.building'),
  REBOOT: busy('instances.doing.rebooting'),
  HARD_REBOOT: busy('instances.doing.rebooting'),
  MIGRATING: busy('instances.doing.migrating'),
  PASSWORD: busy('instances.doing.password'),
  REBUILD: busy('instances.doing.rebuilding'),
  RESIZE: busy('instances.doing.resizing'),
  REVERT_RESIZE: busy('instances.doing.resizing'),
  VERIFY_RESIZE: busy('instances.doing.resizing'),
  LIVE_RESIZE: busy('instances.doing.resizing'),
  VERIFY_LIVE_RESIZE: busy('instances.doing.resizing'),
}

/** Texts by the first word of the task state, up to the first hyphen or underscore. */
const verbs: Readonly<Record<string, Key<'instances'>>> = {
  scheduling: 'instances.doing.building',
  block: 'instances.doing.building',
  networking: 'instances.doing.building',
  spawning: 'instances.doing.building',
  image: 'instances.doing.imaging',
  updating: 'instances.doing.password',
  resize: 'instances.doing.resizing',
  rebooting: 'instances.doing.rebooting',
  reboot: 'instances.doing.rebooting',
  pausing: 'instances.doing.pausing',
  unpausing: 'instances.doing.resuming',
  suspending: 'instances.doing.suspending',
  resuming: 'instances.doing.resuming',
  rescuing: 'instances.doing.rescuing',
  unrescuing: 'instances.doing.unrescuing',
  rebuilding: 'instances.doing.rebuilding',
  rebuild: 'instances.doing.rebuilding',
  migrating: 'instances.doing.migrating',
  deleting: 'instances.doing.deleting',
  soft: 'instances.doing.deleting',
  restoring: 'instances.doing.restoring',
  shelving: 'instances.doing.shelving',
  unshelving: 'instances.doing.unshelving',
}

function taskShown(task: InstanceTaskState): Shown {
  if (task === 'powering-off') return { tone: 'busy', icon: ClockIcon, text: 'instances.doing.shuttingDown' }
  if (task === 'powering-on') return busy('instances.doing.starting')
  return busy(verbs[task.split(/[-_]/)[0] ?? ''] ?? 'instances.doing.working')
}

/** Combines the three states. A running task takes precedence, then an unreachable node, then the status. */
export function shownStatus({ status, task_state, host_status }: State): Shown {
  if (task_state !== null) return taskShown(task_state)
  if (instanceInProgress({ status, task_state })) return doing[status] ?? busy('instances.doing.working')
  if (isNodeGone({ host_status }) && status !== 'ERROR' && status.indexOf('SHELVED') !== 0)
    return { tone: 'warn', icon: WarnIcon, text: 'instances.status.nodeGone' }
  return calm[status] ?? { tone: 'warn', icon: WarnIcon, text: 'instances.status.unknown' }
}

/** Statuses that the list can be filtered by. */
export const filteredStatuses: readonly { value: InstanceStatus; text: Key<'instances'> }[] = (
  ['ACTIVE', 'SHUTOFF', 'ERROR', 'BUILD', 'PAUSED', 'SUSPENDED', 'SHELVED_OFFLOADED', 'RESCUE', 'UNKNOWN'] as const
).map((value) => ({ value, text: (calm[value] ?? doing[value])?.text ?? 'instances.status.unknown' }))
