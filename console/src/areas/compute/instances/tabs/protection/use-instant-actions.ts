import type { Instance } from '@mainstay/contract/compute/instances'
import { canBeReplaced, machineRestores } from '@mainstay/contract/protection/machine-restores'
import { useT } from '../../../../../i18n/use-t'
import { useAppNavigate } from '../../../../../nav/use-app-navigate'
import type { RowAction } from '../../../../../patterns/table/row-action'
import { useMay } from '../../../../../session/may'
import { InstanceIcon, MoveIcon, RecoveryIcon } from '../../../../../ui/icons'
import { replaceMachinePath, restoreMachinePath, volumeBackupResource } from '../../../../storage/backups/resource'
import { useBackupCapabilities } from '../../../../../patterns/use-backup-capabilities'
import { useTestRestore } from '../../../../../patterns/use-test-restore'
import { whyNotRestored } from './instant-words'
import type { Instant } from './instants'

/** Actions for recovery points that were created together. The forms open over the tab whose path is `tab`. */
export function useInstantActions(machine: Instance, tab: string): (instant: Instant) => RowAction[] {
  const t = useT('instance')
  const storage = useT('storage')
  const may = useMay()
  const go = useAppNavigate()
  const isOffered = useBackupCapabilities()?.machines ?? false
  const test = useTestRestore()
  return ({ state, points: [first] }) => {
    const { id } = first!
    const testing = isOffered ? test(first!, whyNotRestored(state, t)) : undefined
    return [
      ...(isOffered && may(machineRestores.restoreMachine.needs)
        ? [
            {
              label: storage('backups.restoreMachine'),
              icon: InstanceIcon,
              disabledBecause: whyNotRestored(state, t),
              run: () => go(restoreMachinePath(tab, id), { keepsSearch: true }),
            },
          ]
        : []),
      ...(isOffered && may(machineRestores.replaceMachine.needs)
        ? [
            {
              label: storage('backups.replaceMachine'),
              icon: MoveIcon,
              isDanger: true,
              disabledBecause:
                whyNotRestored(state, t) ?? (canBeReplaced(machine) ? undefined : storage('backups.replace.notNow')),
              run: () => go(replaceMachinePath(tab, id), { keepsSearch: true }),
            },
          ]
        : []),
      ...(testing ? [testing] : []),
      {
        label: t('instances.protection.open'),
        icon: RecoveryIcon,
        run: () => go(volumeBackupResource.paths.view(id)),
      },
    ]
  }
}
