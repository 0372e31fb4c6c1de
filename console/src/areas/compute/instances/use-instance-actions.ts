import { instanceIsRunning, isNodeGone, type InstanceAction } from '@mainstay/contract/compute/instance-rules'
import { instances, type Instance } from '@mainstay/contract/compute/instances'
import { volumeBackups } from '@mainstay/contract/storage/volume-backups'
import type { Key } from '../../../i18n/catalogues'
import { useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { confirm } from '../../../patterns/dialogs/confirm'
import { useDeletionLock } from '../../../patterns/deletion-lock/use-deletion-lock'
import { useRecycleDays } from '../../../patterns/recycle-bin/use-recycle-days'
import { useDeleteActions } from '../../../patterns/resource/use-delete-actions'
import type { RowAction } from '../../../patterns/table/row-action'
import { useMay } from '../../../session/may'
import {
  ConsoleIcon,
  EditIcon,
  KeyIcon,
  PowerIcon,
  RecoveryIcon,
  RescueIcon,
  ResizeIcon,
  SettingsIcon,
  TerminalIcon,
  type Icon,
} from '../../../ui/icons'
import { instantPath } from '../../storage/backups/resource'
import { actionWords } from './action-words'
import { whyNoFlavor, whyNot } from './instance-reasons'
import { openConsole } from './open-console'
import { instanceResource } from './resource'
import { useConsoleProtocols, useEngineCan } from './use-engine-can'
import { useInstanceCalls, type PlainAction } from './use-instance-calls'

interface Place {
  deleted?: () => void
  /** Path of the page over which forms open. Defaults to the details page. */
  at?: (id: string) => string
}

/** Actions for an instance, used in row menus, on the details page, on the full page and in the console. */
export function useInstanceActions({ deleted, at = instanceResource.paths.view }: Place = {}) {
  const t = useT('instances')
  const may = useMay()
  const go = useAppNavigate()
  const calls = useInstanceCalls()
  const engineCan = useEngineCan()
  const consoleProtocols = useConsoleProtocols()
  const days = useRecycleDays()
  const lock = useDeletionLock<Instance>(instanceResource)
  const removal = useDeleteActions(instanceResource, {
    barredBecause: (instance) => lock.barred(instance) ?? whyNot('delete', instance, t),
    ask: async (instance) => {
      const { confirmDeleteInstance: askDeleteInstance } = await import('./delete-instance')
      return askDeleteInstance(instance, days, (choice, signal) => calls.delete(instance.id, choice, signal))
    },
    deleted,
  })

  /** Returns an empty array if the engine does not support the action. */
  function plain(action: PlainAction, instance: Instance, isLikely = false): RowAction[] {
    if (!engineCan(action)) return []
    const { label, icon, question } = actionWords[action]
    const { id, name } = instance
    return [
      {
        label: t(label),
        icon,
        isLikely,
        disabledBecause: whyNot(action, instance, t),
        isDanger: question?.isDanger ?? false,
        run: question
          ? () =>
              void confirm({
                title: t(question.title, { name }),
                text: t(question.text),
                verb: t(question.verb),
                isDanger: question.isDanger,
                run: (signal) => calls.run(action, id, signal),
              })
          : () => calls.start(action, instance),
      },
    ]
  }

  /** An action that opens a form over the page. */
  function form(
    action: InstanceAction,
    instance: Instance,
    { subject, label, icon }: { subject: string; label: Key<'instances'>; icon: Icon },
  ): RowAction[] {
    if (!engineCan(action)) return []
    return [
      {
        label: t(label),
        icon,
        disabledBecause:
          action === 'resize' ? whyNoFlavor(instance, engineCan('resizeWithRestart'), t) : whyNot(action, instance, t),
        run: () => go(`${at(instance.id)}/edit/${subject}`, { keepsSearch: true }),
      },
    ]
  }

  /**
   * Power and state actions. Only the applicable one of two opposite actions is listed. Actions that are currently not
   * possible are disabled with a reason.
   */
  function power(instance: Instance): RowAction[] {
    if (!may(instances.start.needs)) return []
    const { status, task_state } = instance
    const hasPower = instanceIsRunning(instance) || status === 'PAUSED'
    const isShelved = status === 'SHELVED' || status === 'SHELVED_OFFLOADED'
    return [
      ...(task_state === 'powering-off' ? plain('cancelShutdown', instance) : []),
      ...(isShelved ? plain('unshelve', instance, true) : []),
      ...(status === 'RESCUE' ? plain('unrescue', instance, true) : []),
      ...(hasPower ? plain('shutDown', instance) : plain('start', instance, status === 'SHUTOFF')),
      ...plain('powerOff', instance),
      ...plain('reboot', instance),
      ...plain('hardReboot', instance),
      ...(status === 'SUSPENDED' ? plain('resume', instance, true) : plain('suspend', instance)),
      ...(status === 'PAUSED' ? plain('unpause', instance, true) : plain('pause', instance)),
      ...(isShelved ? [] : plain('shelve', instance)),
      ...(status === 'RESCUE'
        ? []
        : form('rescue', instance, { subject: 'rescue', label: 'instances.action.rescue', icon: RescueIcon })),
    ]
  }

  /** Creates recovery points of all volumes. */
  function backUp({ id, volumes }: Instance): RowAction[] {
    if (!may(volumeBackups.createInstant.needs)) return []
    return [
      {
        label: t('instances.action.backUp'),
        icon: RecoveryIcon,
        disabledBecause: volumes.length === 0 ? t('instances.why.noVolumes') : undefined,
        run: () => go(instantPath(at(id)), { keepsSearch: true }),
      },
    ]
  }

  function change(instance: Instance): RowAction[] {
    return [
      ...(may(instances.resize.needs)
        ? form('resize', instance, { subject: 'flavor', label: 'instances.action.resize', icon: ResizeIcon })
        : []),
      ...(may(instances.setPassword.needs)
        ? form('setPassword', instance, {
            subject: 'password',
            label: 'instances.action.setPassword',
            icon: KeyIcon,
          })
        : []),
      ...(may(instances.update.needs)
        ? form('rename', instance, { subject: 'name', label: 'instances.action.rename', icon: EditIcon })
        : []),
    ]
  }

  /** Operator actions: migrate, evacuate, and reset the state. */
  function operate(instance: Instance): RowAction[] {
    return [
      ...(may(instances.migrate.needs)
        ? plain(instance.status === 'MIGRATING' ? 'stopMigration' : 'migrate', instance)
        : []),
      ...(may(instances.evacuate.needs) && isNodeGone(instance) ? plain('evacuate', instance) : []),
      ...(may(instances.reset.needs) ? plain('resetState', instance) : []),
    ]
  }

  function screen(instance: Instance): RowAction[] {
    if (!may(instances.console.needs)) return []
    return [
      {
        label: t('instances.action.console'),
        icon: ConsoleIcon,
        isLikely: instanceIsRunning(instance),
        disabledBecause: whyNot('console', instance, t),
        run: () => openConsole(instance.id, 'vnc'),
      },
    ]
  }

  function terminal(instance: Instance): RowAction[] {
    if (!may(instances.console.needs) || !consoleProtocols.includes('serial')) return []
    return [
      {
        label: t('instances.action.terminal'),
        icon: TerminalIcon,
        disabledBecause: whyNot('console', instance, t),
        run: () => openConsole(instance.id, 'serial'),
      },
    ]
  }

  /** Keeps the most likely power action at the top level of the menu, and moves the others to a submenu. */
  function powerOfMenu(instance: Instance): RowAction[] {
    const actions = power(instance)
    const likely = actions.find(({ disabledBecause }) => disabledBecause === undefined)
    const under = { label: t('instances.action.power'), icon: PowerIcon }
    return actions.map((action) => ({ ...action, group: 'power', ...(action !== likely && { under }) }))
  }

  function operateOfMenu(instance: Instance): RowAction[] {
    const under = { label: t('instances.action.operate'), icon: SettingsIcon }
    return operate(instance).map((action) => ({ ...action, under }))
  }

  const show = (instance: Instance): RowAction[] =>
    [...screen(instance), ...terminal(instance)].map((action) => ({ ...action, group: 'show' }))

  const all = (instance: Instance) =>
    [show, powerOfMenu, change, backUp, operateOfMenu, lock.action, removal.action].flatMap((part) => part(instance))
  return { screen, power, all }
}
