import { instances, type Instance } from '@mainstay/contract/compute/instances'
import type { Access } from '@mainstay/contract/core/endpoint'
import type { Key } from '../../../../i18n/catalogues'
import { useT } from '../../../../i18n/use-t'
import type { BulkAction } from '../../../../patterns/bulk'
import { useRemoval } from '../../../../patterns/resource/use-removal'
import { useMay } from '../../../../session/may'
import { DarkIcon, MoveIcon, RebootIcon, ShelveIcon, StartIcon, StopIcon, type Icon } from '../../../../ui/icons'
import { whyNot } from '../instance-reasons'
import { instanceResource } from '../resource'
import { useEngineCan } from '../use-engine-can'
import { useInstanceCalls, type PlainAction } from '../use-instance-calls'

interface Words {
  action: PlainAction
  /** The right to it; that of switching power where nothing is said. */
  needs?: Access
  label: Key<'instances'>
  ask: Key<'instances'>
  verb: Key<'instances'>
  done: Key<'instances'>
  note?: Key<'instances'>
  icon?: Icon
  isDanger?: boolean
  isRare?: boolean
}

const plain: readonly Words[] = [
  {
    action: 'start',
    icon: StartIcon,
    label: 'instances.action.start',
    ask: 'instances.bulk.start.ask',
    verb: 'instances.bulk.start.verb',
    done: 'instances.bulk.start.done',
  },
  {
    action: 'shutDown',
    icon: StopIcon,
    label: 'instances.action.shutDown',
    ask: 'instances.bulk.shutDown.ask',
    verb: 'instances.bulk.shutDown.verb',
    done: 'instances.bulk.shutDown.done',
  },
  {
    action: 'powerOff',
    label: 'instances.action.powerOff',
    ask: 'instances.bulk.powerOff.ask',
    verb: 'instances.bulk.powerOff.verb',
    done: 'instances.bulk.powerOff.done',
    note: 'instances.powerOff.text',
    isDanger: true,
  },
  {
    action: 'reboot',
    icon: RebootIcon,
    label: 'instances.action.reboot',
    ask: 'instances.bulk.reboot.ask',
    verb: 'instances.bulk.reboot.verb',
    done: 'instances.bulk.reboot.done',
  },
  {
    action: 'suspend',
    icon: DarkIcon,
    label: 'instances.action.suspend',
    ask: 'instances.bulk.suspend.ask',
    verb: 'instances.bulk.suspend.verb',
    done: 'instances.bulk.suspend.done',
  },
  {
    action: 'resume',
    icon: StartIcon,
    label: 'instances.action.resume',
    ask: 'instances.bulk.resume.ask',
    verb: 'instances.bulk.resume.verb',
    done: 'instances.bulk.resume.done',
  },
  {
    action: 'shelve',
    icon: ShelveIcon,
    label: 'instances.action.shelve',
    ask: 'instances.bulk.shelve.ask',
    verb: 'instances.bulk.shelve.verb',
    done: 'instances.bulk.shelve.done',
    note: 'instances.bulk.shelve.note',
    isRare: true,
  },
  {
    action: 'unshelve',
    icon: StartIcon,
    label: 'instances.action.unshelve',
    ask: 'instances.bulk.unshelve.ask',
    verb: 'instances.bulk.unshelve.verb',
    done: 'instances.bulk.unshelve.done',
    isRare: true,
  },
  {
    action: 'migrate',
    needs: instances.migrate.needs,
    icon: MoveIcon,
    label: 'instances.action.migrate',
    ask: 'instances.bulk.migrate.ask',
    verb: 'instances.bulk.migrate.verb',
    done: 'instances.bulk.migrate.done',
    isRare: true,
  },
]

/** What can be done to many at once. Those that it does not fit are left out, with their reason, before it starts. */
export function useInstanceBulk(): BulkAction<Instance>[] {
  const t = useT('instances')
  const may = useMay()
  const calls = useInstanceCalls()
  const engineCan = useEngineCan()
  const removal = useRemoval(instanceResource, {
    noteOfMany: t('instances.deleteManyNote'),
    skippedBecause: (instance) => whyNot('delete', instance, t),
    run: ({ id }, signal) => calls.delete(id, 'flagged', signal),
  })
  return [
    ...plain
      .filter(({ action, needs = instances.start.needs }) => may(needs) && engineCan(action))
      .map(({ action, label, ask, verb, done, note, icon, isDanger, isRare }): BulkAction<Instance> => ({
        label: t(label),
        icon,
        isDanger,
        isRare,
        ask: (count) => t(ask, { count }),
        verb: (count) => t(verb, { count }),
        done: (count) => t(done, { count }),
        note: note && t(note),
        skippedBecause: (instance) => whyNot(action, instance, t),
        run: ({ id }, signal) => calls.run(action, id, signal),
      })),
    ...removal.bulk,
  ]
}
