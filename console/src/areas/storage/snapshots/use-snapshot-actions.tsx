import { useState, type ReactNode } from 'react'
import { quotas } from '@mainstay/contract/compute/quotas'
import {
  snapshotCan,
  snapshotInProgress,
  snapshotIsErrored,
  type SnapshotAction,
} from '@mainstay/contract/storage/snapshot-rules'
import { volumeSnapshots, type VolumeSnapshot } from '@mainstay/contract/storage/volume-snapshots'
import { volumes } from '@mainstay/contract/storage/volumes'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { toast } from '../../../notices/notices'
import { confirm } from '../../../patterns/dialogs/confirm'
import { useDeleteActions, type Removal } from '../../../patterns/resource/use-delete-actions'
import type { RowAction } from '../../../patterns/table/row-action'
import { useMay } from '../../../session/may'
import { EditIcon, ImageIcon, RefreshIcon, RestoreIcon, VolumeIcon } from '../../../ui/icons'
import { snapshotPaths, snapshotResource, type SnapshotForm } from './resource'
import { RevertDialog } from './RevertDialog'
import { barredByStatus } from './snapshot-words'

interface SnapshotActionsOptions {
  /**
   * Whether the snapshots are shown in the details of their volume. Forms then keep the filters of the list behind the
   * details.
   */
  isInVolume?: boolean
  /** The newest snapshot of the volume. If it is not known, the dialog looks it up. */
  newest?: VolumeSnapshot | undefined
}

interface SnapshotActions {
  actions: (snapshot: VolumeSnapshot) => RowAction[]
  bulk: Removal<VolumeSnapshot>['bulk']
  /** The dialog opened by an action, to be rendered by the caller. */
  dialog: ReactNode
}

/** Actions for a snapshot, used in the details of its volume and in the list of all snapshots. */
export function useSnapshotActions({ isInVolume = false, newest }: SnapshotActionsOptions): SnapshotActions {
  const t = useT('storage')
  const go = useAppNavigate()
  const may = useMay()
  const [reverted, revert] = useState<VolumeSnapshot>()
  const removal = useDeleteActions(snapshotResource, {
    note: t('snapshots.deleteNote'),
    noteOfMany: () => <p>{t('snapshots.deleteManyNote')}</p>,
    barredBecause: (snapshot) => (snapshotCan('delete', snapshot) ? undefined : barredByStatus(snapshot, t)),
    refresh: [quotas.view, volumes.view],
  })
  const reset = useCall(volumeSnapshots.resetState, {
    refresh: [volumeSnapshots.list],
    done: ({ name }) => toast(t('snapshots.resetDone', { name })),
  })
  const askReset = ({ id, name }: VolumeSnapshot) =>
    void confirm({
      title: t('snapshots.resetTitle', { name }),
      text: t('snapshots.resetNote'),
      verb: t('volumes.reset'),
      run: (signal) => reset.run({ params: { id }, body: { event: 'resetState' } }, { signal }),
    })

  function actions(snapshot: VolumeSnapshot): RowAction[] {
    const unless = (action: SnapshotAction) => (snapshotCan(action, snapshot) ? undefined : barredByStatus(snapshot, t))
    const to = (form: SnapshotForm) => () =>
      go(snapshotPaths.form(snapshot, form), isInVolume ? { keepsSearch: true } : {})
    const newer = newest?.id === snapshot.id ? undefined : newest
    const offered: (RowAction | false)[] = [
      may(volumes.create.needs) && {
        label: t('volumes.add'),
        icon: VolumeIcon,
        disabledBecause: unless('copy'),
        run: to('createVolume'),
      },
      may(volumeSnapshots.uploadToImage.needs) && {
        label: t('volumes.toImage'),
        icon: ImageIcon,
        disabledBecause: unless('copy'),
        run: to('createImage'),
      },
      may(volumeSnapshots.update.needs) && {
        label: t('snapshots.edit'),
        icon: EditIcon,
        disabledBecause: unless('rename'),
        run: to('edit'),
      },
      may(volumeSnapshots.revert.needs) && {
        label: t('snapshots.revert'),
        icon: RestoreIcon,
        group: 'power',
        isLikely: newest?.id === snapshot.id,
        disabledBecause: unless('revert') ?? (newer && t('snapshots.notNewest', { name: newer.name })),
        run: () => revert(snapshot),
      },
      may(volumeSnapshots.resetState.needs) && {
        label: t('volumes.reset'),
        icon: RefreshIcon,
        group: 'power',
        disabledBecause:
          snapshotInProgress(snapshot) || snapshotIsErrored(snapshot) ? undefined : t('snapshots.resetBarred'),
        run: () => askReset(snapshot),
      },
      ...removal.action(snapshot),
    ]
    return offered.filter((action) => action !== false)
  }

  return {
    actions,
    bulk: removal.bulk,
    dialog: reverted && <RevertDialog key={reverted.id} snapshot={reverted} onClose={() => revert(undefined)} />,
  }
}
