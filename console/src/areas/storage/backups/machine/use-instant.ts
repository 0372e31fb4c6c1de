import { WHOLE_LIMIT } from '@mainstay/contract/core/lists/paging'
import { volumeBackupKind, volumeBackups, type VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { useList } from '../../../../api/use-list'
import { inDeviceOrder } from './instant'

/** All recovery points that were created together with this one, and itself, in the order of their devices. */
export function useInstant({ instant_id }: Pick<VolumeBackup, 'instant_id'>) {
  const { rows, isLoading, problem } = useList(volumeBackups.list, volumeBackupKind, {
    stateIn: 'memory',
    limit: WHOLE_LIMIT,
    only: { instant_id },
  })
  return { points: inDeviceOrder(rows), isLoading, problem }
}
