import { quotas } from '@mainstay/contract/compute/quotas'
import { machineRestores } from '@mainstay/contract/protection/machine-restores'
import { volumeBackups, type VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useDeleteActions, type Removal } from '../../../patterns/resource/use-delete-actions'
import type { RowAction } from '../../../patterns/table/row-action'
import { useMay } from '../../../session/may'
import { CheckIcon, FolderIcon, InstanceIcon, MoveIcon, RestoreIcon } from '../../../ui/icons'
import { whyBarred } from './backup-words'
import { whyNotReplaced } from './machine/instant'
import { volumeBackupResource } from './resource'
import { useBackupCapabilities } from '../../../patterns/use-backup-capabilities'
import { useMachinesOf } from './machine/use-machines-of'
import { useTestRestore } from '../../../patterns/use-test-restore'

interface BackupActionsOptions {
  /** The recovery points that are shown. Actions on their virtual machines are offered while these exist. */
  points: readonly VolumeBackup[]
  /** The actions are offered on the details page, to which the restore form then returns. */
  isDetails?: boolean
  /** Called after the recovery point has been deleted. */
  deleted?: () => void
}

interface BackupActions {
  actions: (point: VolumeBackup) => RowAction[]
  /** Reads the stored files back. Undefined without permission, or if the engine does not support it. */
  verify: (point: VolumeBackup) => RowAction | undefined
  bulk: Removal<VolumeBackup>['bulk']
}

/** Actions for a recovery point, for the list and for the details page. */
export function useBackupActions({ points, isDetails = false, deleted }: BackupActionsOptions): BackupActions {
  const t = useT('storage')
  const go = useAppNavigate()
  const may = useMay()
  const capabilities = useBackupCapabilities()
  const canVerify = capabilities?.verify ?? false
  const hasMachines = capabilities?.machines ?? false
  const machineOf = useMachinesOf(points)
  const reading = useCall(volumeBackups.verify, { refresh: [volumeBackups.list, volumeBackups.view] })
  const removal = useDeleteActions(volumeBackupResource, {
    note: t('backups.deleteNote'),
    noteOfMany: () => <p>{t('backups.deleteManyNote')}</p>,
    barredBecause: (point) => whyBarred('delete', point, t),
    refresh: [quotas.view],
    deleted,
  })

  const test = useTestRestore()

  async function verifyNow({ id, name }: VolumeBackup) {
    try {
      await reading.run({ params: { id } })
    } catch (thrown) {
      const { notifyError } = await import('../../../notices/notify-error')
      notifyError(thrown, t('backups.verifyFailed', { name }))
    }
  }

  /** Opens a form over the details, which returns to the page that is shown now. */
  const open = (form: string, { id }: VolumeBackup) =>
    go(volumeBackupResource.paths.below(id, form, ...(isDetails ? [] : ['list'])), { keepsSearch: true })

  function restore(point: VolumeBackup): RowAction | undefined {
    if (!may(volumeBackups.restore.needs)) return undefined
    return {
      label: t('backups.restore'),
      icon: RestoreIcon,
      isLikely: true,
      disabledBecause: whyBarred('restore', point, t),
      run: () => open('restore', point),
    }
  }

  function browseFiles(point: VolumeBackup): RowAction | undefined {
    if (!capabilities?.files || !may(volumeBackups.restore.needs)) return undefined
    return {
      label: t('backups.files'),
      icon: FolderIcon,
      disabledBecause: whyBarred('restore', point, t),
      run: () => go(volumeBackupResource.paths.below(point.id, 'files')),
    }
  }

  function restoreMachine(point: VolumeBackup): RowAction | undefined {
    if (!hasMachines || point.server_id === null || !may(machineRestores.restoreMachine.needs)) return undefined
    return {
      label: t('backups.restoreMachine'),
      icon: InstanceIcon,
      disabledBecause: whyBarred('restore', point, t),
      run: () => open('restore-machine', point),
    }
  }

  function replaceMachine(point: VolumeBackup): RowAction | undefined {
    const machine = point.server_id === null ? null : machineOf(point.server_id)
    if (!hasMachines || machine === null || !may(machineRestores.replaceMachine.needs)) return undefined
    return {
      label: t('backups.replaceMachine'),
      icon: MoveIcon,
      isDanger: true,
      disabledBecause: whyBarred('restore', point, t) ?? (machine && whyNotReplaced(machine, t)),
      run: () => open('replace-machine', point),
    }
  }

  const testRestore = (point: VolumeBackup): RowAction | undefined =>
    hasMachines && point.server_id !== null ? test(point, whyBarred('restore', point, t)) : undefined

  function verify(point: VolumeBackup): RowAction | undefined {
    if (!canVerify || !may(volumeBackups.verify.needs)) return undefined
    return {
      label: t('backups.verify'),
      icon: CheckIcon,
      disabledBecause: whyBarred('verify', point, t),
      run: () => void verifyNow(point),
    }
  }

  return {
    actions: (point) =>
      [
        restore(point),
        browseFiles(point),
        restoreMachine(point),
        replaceMachine(point),
        testRestore(point),
        verify(point),
      ]
        .filter((it) => it !== undefined)
        .concat(removal.action(point)),
    verify,
    bulk: removal.bulk,
  }
}
