import type { Key } from '../../../i18n/catalogues'
import {
  DarkIcon,
  MoveIcon,
  PauseIcon,
  PowerIcon,
  PowerOffIcon,
  RebootIcon,
  RefreshIcon,
  RescueIcon,
  ShelveIcon,
  StartIcon,
  StopIcon,
  type Icon,
} from '../../../ui/icons'
import type { PlainAction } from './use-instance-calls'

/** Confirmation dialog shown before an action. */
interface Question {
  title: Key<'instances'>
  text: Key<'instances'>
  verb: Key<'instances'>
  isDanger: boolean
}

interface ActionWords {
  label: Key<'instances'>
  icon: Icon
  /** Set for actions that may lose data in the guest or move it to another host. */
  question?: Question
}

/** Label, icon and confirmation for each action that does not open a form. */
export const actionWords: Readonly<Record<PlainAction, ActionWords>> = {
  start: { label: 'instances.action.start', icon: StartIcon },
  shutDown: { label: 'instances.action.shutDown', icon: PowerIcon },
  cancelShutdown: { label: 'instances.action.cancelShutdown', icon: StartIcon },
  powerOff: {
    label: 'instances.action.powerOff',
    icon: PowerOffIcon,
    question: {
      title: 'instances.powerOff.title',
      text: 'instances.powerOff.text',
      verb: 'instances.powerOff.verb',
      isDanger: true,
    },
  },
  reboot: { label: 'instances.action.reboot', icon: RebootIcon },
  hardReboot: {
    label: 'instances.action.hardReboot',
    icon: RebootIcon,
    question: {
      title: 'instances.hardReboot.title',
      text: 'instances.hardReboot.text',
      verb: 'instances.hardReboot.verb',
      isDanger: true,
    },
  },
  suspend: { label: 'instances.action.suspend', icon: DarkIcon },
  resume: { label: 'instances.action.resume', icon: StartIcon },
  pause: { label: 'instances.action.pause', icon: PauseIcon },
  unpause: { label: 'instances.action.unpause', icon: StartIcon },
  shelve: {
    label: 'instances.action.shelve',
    icon: ShelveIcon,
    question: {
      title: 'instances.shelve.title',
      text: 'instances.shelve.text',
      verb: 'instances.shelve.verb',
      isDanger: false,
    },
  },
  unshelve: { label: 'instances.action.unshelve', icon: StartIcon },
  unrescue: {
    label: 'instances.action.unrescue',
    icon: RescueIcon,
    question: {
      title: 'instances.unrescue.title',
      text: 'instances.unrescue.text',
      verb: 'instances.unrescue.verb',
      isDanger: true,
    },
  },
  migrate: {
    label: 'instances.action.migrate',
    icon: MoveIcon,
    question: {
      title: 'instances.migrate.title',
      text: 'instances.migrate.text',
      verb: 'instances.migrate.verb',
      isDanger: false,
    },
  },
  stopMigration: { label: 'instances.action.stopMigration', icon: StopIcon },
  evacuate: {
    label: 'instances.action.evacuate',
    icon: MoveIcon,
    question: {
      title: 'instances.evacuate.title',
      text: 'instances.evacuate.text',
      verb: 'instances.evacuate.verb',
      isDanger: true,
    },
  },
  resetState: { label: 'instances.action.resetState', icon: RefreshIcon },
}
