import { instanceIsRunning } from '@mainstay/contract/compute/instance-rules'
import { instances, type Instance } from '@mainstay/contract/compute/instances'
import type { Key } from '../../../i18n/catalogues'
import { useT } from '../../../i18n/use-t'
import { paths } from '../../../nav/paths'
import { useGo } from '../../../nav/use-go'
import { confirm } from '../../../patterns/confirm'
import type { RowAction } from '../../../patterns/row-action'
import { useMay } from '../../../session/may'
import {
  ConsoleIcon,
  DarkIcon,
  DeleteIcon,
  EditIcon,
  PauseIcon,
  RebootIcon,
  RefreshIcon,
  RescueIcon,
  ResizeIcon,
  ShelveIcon,
  StartIcon,
  StopIcon,
  type Icon,
} from '../../../ui/icons'
import { askDeleteInstance } from './delete-instance'
import { whyNot } from './instance-reasons'
import { openConsole } from './open-console'
import { useEngineCan } from './use-engine-can'
import { useInstanceCalls, type PlainAction } from './use-instance-calls'

interface Asked {
  title: Key<'compute'>
  text: Key<'compute'>
  verb: Key<'compute'>
  isDanger: boolean
}

/** What a guest may lose data by, or its place, is asked for first. */
const asked: Partial<Record<PlainAction, Asked>> = {
  powerOff: {
    title: 'instances.powerOff.title',
    text: 'instances.powerOff.text',
    verb: 'instances.powerOff.verb',
    isDanger: true,
  },
  hardReboot: {
    title: 'instances.hardReboot.title',
    text: 'instances.hardReboot.text',
    verb: 'instances.hardReboot.verb',
    isDanger: true,
  },
  shelve: {
    title: 'instances.shelve.title',
    text: 'instances.shelve.text',
    verb: 'instances.shelve.verb',
    isDanger: false,
  },
  unrescue: {
    title: 'instances.unrescue.title',
    text: 'instances.unrescue.text',
    verb: 'instances.unrescue.verb',
    isDanger: true,
  },
}

/** What can be done to an instance, for menus of rows, details and the screen. */
export function useInstanceActions({ deleted }: { deleted?: () => void } = {}) {
  const t = useT('compute')
  const may = useMay()
  const go = useGo()
  const calls = useInstanceCalls()
  const engineCan = useEngineCan()

  function plain(action: PlainAction, label: Key<'compute'>, icon: Icon, instance: Instance): RowAction {
    const question = asked[action]
    const { id, name } = instance
    return {
      label: t(label),
      icon,
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
    }
  }

  const edit =
    ({ id }: Instance, subject: string) =>
    () =>
      go(paths.instances.editSubject(id, subject), { keepsSearch: true })

  /** Power and state: what is the opposite of the present state is left out, what does not fit now says why. */
  function power(instance: Instance): RowAction[] {
    if (!may(instances.start.needs)) return []
    const { status, task_state } = instance
    const isRunning = instanceIsRunning(instance)
    const isShelved = status === 'SHELVED' || status === 'SHELVED_OFFLOADED'
    const isInRescue = status === 'RESCUE'
    return [
      ...(task_state === 'powering-off'
        ? [plain('cancelShutdown', 'instances.action.cancelShutdown', StartIcon, instance)]
        : []),
      ...(isShelved && engineCan('unshelve')
        ? [{ ...plain('unshelve', 'instances.action.unshelve', StartIcon, instance), isLikely: true }]
        : []),
      ...(isInRescue && engineCan('unrescue')
        ? [{ ...plain('unrescue', 'instances.action.unrescue', RescueIcon, instance), isLikely: true }]
        : []),
      isRunning || status === 'PAUSED'
        ? plain('shutDown', 'instances.action.shutDown', StopIcon, instance)
        : { ...plain('start', 'instances.action.start', StartIcon, instance), isLikely: status === 'SHUTOFF' },
      plain('powerOff', 'instances.action.powerOff', StopIcon, instance),
      plain('reboot', 'instances.action.reboot', RebootIcon, instance),
      plain('hardReboot', 'instances.action.hardReboot', RebootIcon, instance),
      status === 'SUSPENDED'
        ? { ...plain('resume', 'instances.action.resume', StartIcon, instance), isLikely: true }
        : plain('suspend', 'instances.action.suspend', DarkIcon, instance),
      status === 'PAUSED'
        ? { ...plain('unpause', 'instances.action.unpause', StartIcon, instance), isLikely: true }
        : plain('pause', 'instances.action.pause', PauseIcon, instance),
      ...(!isShelved && engineCan('shelve') ? [plain('shelve', 'instances.action.shelve', ShelveIcon, instance)] : []),
      ...(!isInRescue && engineCan('rescue')
        ? [
            {
              label: t('instances.action.rescue'),
              icon: RescueIcon,
              disabledBecause: whyNot('rescue', instance, t),
              run: edit(instance, 'rescue'),
            },
          ]
        : []),
    ]
  }

  function change(instance: Instance): RowAction[] {
    return [
      ...(may(instances.resize.needs)
        ? [
            {
              label: t('instances.action.resize'),
              icon: ResizeIcon,
              disabledBecause: whyNot('resize', instance, t),
              run: edit(instance, 'flavor'),
            },
            {
              label: t('instances.action.rename'),
              icon: EditIcon,
              disabledBecause: whyNot('rename', instance, t),
              run: edit(instance, 'name'),
            },
          ]
        : []),
      ...(may(instances.reset.needs)
        ? [plain('resetState', 'instances.action.resetState', RefreshIcon, instance)]
        : []),
      ...(may(instances.delete.needs)
        ? [
            {
              label: t('delete'),
              icon: DeleteIcon,
              isDanger: true,
              disabledBecause: whyNot('delete', instance, t),
              run: () =>
                void askDeleteInstance(instance, (ids, signal) => calls.delete(instance.id, ids, signal)).then(
                  (isDone) => isDone && deleted?.(),
                ),
            },
          ]
        : []),
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
        run: () => openConsole(instance.id),
      },
    ]
  }

  return { screen, power, all: (instance: Instance) => [...screen(instance), ...power(instance), ...change(instance)] }
}
