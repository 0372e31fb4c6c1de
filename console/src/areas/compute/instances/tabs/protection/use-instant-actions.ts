import type { Instance } from '@mainstay/contract/compute/instances'
import { machineRestores } from '@mainstay/contract/protection/machine-restores'
import { useT } from '../../../../../i18n/use-t'
import { useAppNavigate } from '../../../../../nav/use-app-navigate'
import type { RowAction } from '../../../../../patterns/table/row-action'
import { useMay } from '../../../../../session/may'
import { InstanceIcon, MoveIcon, RecoveryIcon } from '../../../../../ui/icons'
import { replaceMachinePath, restoreMachinePath, volumeBackupResource } from '../../../../storage/backups/resource'
import { whyNotRestored } from './instant-words'
import type { Instant } from './instants'

const replaceable: readonly Instance['status'][] = ['ACTIVE', 'SHUTOFF', 'PAUSED']

/** Actions for recovery points that were created together. The forms open over the tab with this path. */
export function useInstantActions({ status, task_state }: Instance, tab: string): (instant: Instant) => RowAction[] {
  const t = useT('instance')
  const storage = useT('storage')
  const may = useMay()
  const go = useAppNavigate()
  const isReplaceable = replaceable.includes(status) && task_state === null
  return ({ state, points: [first] }) => {
    const { id } = first!
    return [
      ...(may(machineRestores.restoreMachine.needs)
        ? [
            {
              label: storage('backups.restoreMachine'),
              icon: InstanceIcon,
              disabledBecause: whyNotRestored(state, t),
              run: () => go(restoreMachinePath(tab, id), { keepsSearch: true }),
            },
          ]
        : []),
      ...(may(machineRestores.replaceMachine.needs)
        ? [
            {
              label: storage('backups.replaceMachine'),
              icon: MoveIcon,
              isDanger: true,
              disabledBecause:
                whyNotRestored(state, t) ?? (isReplaceable ? undefined : storage('backups.replace.notNow')),
              run: () => go(replaceMachinePath(tab, id), { keepsSearch: true }),
            },
          ]
        : []),
      {
        label: t('instances.protection.open'),
        icon: RecoveryIcon,
        run: () => go(volumeBackupResource.paths.view(id)),
      },
    ]
  }
}
