import { lazy } from 'react'
import { instances, type Instance } from '@mainstay/contract/compute/instances'
import type { Access } from '@mainstay/contract/core/endpoint'
import type { Key } from '../../../../i18n/catalogues'
import { useT } from '../../../../i18n/use-t'
import type { BulkAction, BulkCall } from '../../../../patterns/bulk-run/bulk'
import { useDeletionLock } from '../../../../patterns/deletion-lock/use-deletion-lock'
import { useRecycleDays } from '../../../../patterns/recycle-bin/use-recycle-days'
import { useDeleteActions } from '../../../../patterns/resource/use-delete-actions'
import { useMay } from '../../../../session/may'
import {
  DarkIcon,
  MoveIcon,
  PowerIcon,
  PowerOffIcon,
  RebootIcon,
  ShelveIcon,
  StartIcon,
  type Icon,
} from '../../../../ui/icons'
import { whyNot } from '../instance-reasons'
import { instanceResource } from '../resource'
import { useEngineCan } from '../use-engine-can'
import type { PlainAction } from '../use-instance-calls'

// loaded together with the dialog, to keep it out of the bundle for the list
const ManyDeletion = lazy(() => import('../ManyDeletion'))

interface Words {
  action: PlainAction
  /** Required permission. Defaults to the permission to change the power state. */
  needs?: Access
  label: Key<'instances'>
  ask: Key<'instances'>
  verb: Key<'instances'>
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
  },
  {
    action: 'shutDown',
    icon: PowerIcon,
    label: 'instances.action.shutDown',
    ask: 'instances.bulk.shutDown.ask',
    verb: 'instances.bulk.shutDown.verb',
  },
  {
    action: 'powerOff',
    icon: PowerOffIcon,
    label: 'instances.action.powerOff',
    ask: 'instances.bulk.powerOff.ask',
    verb: 'instances.bulk.powerOff.verb',
    note: 'instances.powerOff.text',
    isDanger: true,
  },
  {
    action: 'reboot',
    icon: RebootIcon,
    label: 'instances.action.reboot',
    ask: 'instances.bulk.reboot.ask',
    verb: 'instances.bulk.reboot.verb',
  },
  {
    action: 'suspend',
    icon: DarkIcon,
    label: 'instances.action.suspend',
    ask: 'instances.bulk.suspend.ask',
    verb: 'instances.bulk.suspend.verb',
  },
  {
    action: 'resume',
    icon: StartIcon,
    label: 'instances.action.resume',
    ask: 'instances.bulk.resume.ask',
    verb: 'instances.bulk.resume.verb',
  },
  {
    action: 'shelve',
    icon: ShelveIcon,
    label: 'instances.action.shelve',
    ask: 'instances.bulk.shelve.ask',
    verb: 'instances.bulk.shelve.verb',
    note: 'instances.bulk.shelve.note',
    isRare: true,
  },
  {
    action: 'unshelve',
    icon: StartIcon,
    label: 'instances.action.unshelve',
    ask: 'instances.bulk.unshelve.ask',
    verb: 'instances.bulk.unshelve.verb',
    isRare: true,
  },
  {
    action: 'migrate',
    needs: instances.migrate.needs,
    icon: MoveIcon,
    label: 'instances.action.migrate',
    ask: 'instances.bulk.migrate.ask',
    verb: 'instances.bulk.migrate.verb',
    isRare: true,
  },
]

/** `event` contains the name of the action, so that the resulting task shows it. */
function callOf(action: PlainAction): BulkCall {
  if (action === 'shutDown' || action === 'powerOff')
    return { action: 'stop', body: { event: action, hard: action === 'powerOff' } }
  return { action, body: { event: action, ...(action === 'reboot' && { hard: false }) } }
}

/** Bulk actions. Instances that do not allow the action are listed with a reason beforehand, and are skipped. */
export function useInstanceBulk(): BulkAction<Instance>[] {
  const t = useT('instances')
  const may = useMay()
  const engineCan = useEngineCan()
  const days = useRecycleDays()
  const lock = useDeletionLock<Instance>(instanceResource)
  const removal = useDeleteActions(instanceResource, {
    noteOfMany: (many, isPermanent) => <ManyDeletion instances={many} days={isPermanent ? 0 : days} />,
    isRecycled: days > 0,
    skippedBecause: (instance) => lock.barred(instance) ?? whyNot('delete', instance, t),
  })
  return [
    ...plain
      .filter(({ action, needs = instances.start.needs }) => may(needs) && engineCan(action))
      .map(({ action, label, ask, verb, note, icon, isDanger, isRare }): BulkAction<Instance> => ({
        label: t(label),
        icon,
        isDanger,
        isRare,
        ask: (count) => t(ask, { count }),
        verb: (count) => t(verb, { count }),
        note: note && t(note),
        skippedBecause: (instance) => whyNot(action, instance, t),
        call: callOf(action),
      })),
    ...lock.bulk,
    ...removal.bulk,
  ]
}
