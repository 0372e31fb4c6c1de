import { WHOLE_LIMIT } from '@mainstay/contract/core/lists/paging'
import { volumeBackupKind, volumeBackups, type VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { useList, type List } from '../../../../api/use-list'
import { chainAmong, type Chain } from './chain'

/** The recovery points that this one needs and those that need it, updated live. All of them are of the same volume. */
export function useChain(point: VolumeBackup): Chain<VolumeBackup> & Pick<List, 'isLoading' | 'problem' | 'reload'> {
  const isEnabled = point.volume_id !== ''
  const { rows, isLoading, problem, reload } = useList(volumeBackups.list, volumeBackupKind, {
    stateIn: 'memory',
    limit: WHOLE_LIMIT,
    only: { volume_id: point.volume_id },
    isEnabled,
  })
  return { ...chainAmong(point, rows), isLoading: isEnabled && isLoading, problem, reload }
}
