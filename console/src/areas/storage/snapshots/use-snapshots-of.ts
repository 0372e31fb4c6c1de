import { WHOLE_LIMIT } from '@mainstay/contract/core/lists/paging'
import { volumeSnapshotKind, volumeSnapshots } from '@mainstay/contract/storage/volume-snapshots'
import { useList } from '../../../api/use-list'
import { useMay } from '../../../session/may'

/** All snapshots of a volume, newest first. */
export function useSnapshotsOf(volumeId: string) {
  const may = useMay()
  return useList(volumeSnapshots.list, volumeSnapshotKind, {
    stateIn: 'memory',
    limit: WHOLE_LIMIT,
    only: { volume_id: volumeId },
    isEnabled: may(volumeSnapshots.list.needs),
  })
}
