import { lazy, useState, type ReactNode } from 'react'
import { instances } from '@mainstay/contract/compute/instances'
import { quotas } from '@mainstay/contract/compute/quotas'
import { volumeCanBeCaptured } from '@mainstay/contract/storage/snapshot-rules'
import { volumeCan, volumeInProgress } from '@mainstay/contract/storage/volume-rules'
import { recycleBin } from '@mainstay/contract/storage/recycle-bin'
import { volumeSnapshots } from '@mainstay/contract/storage/volume-snapshots'
import { volumes, type Volume } from '@mainstay/contract/storage/volumes'
import { useCall } from '../../../api/use-call'
import { useT, type Translate } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { confirm } from '../../../patterns/dialogs/confirm'
import { useDeletionLock } from '../../../patterns/deletion-lock/use-deletion-lock'
import { useRecycleDays } from '../../../patterns/recycle-bin/use-recycle-days'
import { useDeleteActions, type Removal } from '../../../patterns/resource/use-delete-actions'
import type { RowAction } from '../../../patterns/table/row-action'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useMay } from '../../../session/may'
import {
  AttachIcon,
  CopyIcon,
  DetachIcon,
  EditIcon,
  ImageIcon,
  RefreshIcon,
  ResizeIcon,
  SnapshotIcon,
} from '../../../ui/icons'
import { snapshotPaths } from '../snapshots/resource'
import { AttachVolumeDialog } from './AttachVolumeDialog'
import { ExtendVolumeDialog } from './ExtendVolumeDialog'
import { volumeResource } from './resource'
import { volumeStatusText } from './volume-words'
import { TO_VOLUME } from './VolumeOfAddress'
import { VolumeEditForm } from './VolumeEditForm'

// the component is loaded with the dialog, so that lists do not wait for it
const RecycledMany = lazy(() => import('../../../patterns/recycle-bin/RecycledMany'))

/** Why a volume cannot currently be deleted; undefined if it can. */
function deleteBarred(volume: Volume, t: Translate<'storage'>): string | undefined {
  if (volume.attachments.length > 0) return t('volumes.detachFirst')
  return volumeCan('delete', volume) ? undefined : barredByStatus(volume, t)
}

const barredByStatus = ({ status }: Volume, t: Translate<'storage'>) =>
  t('volumes.barred', { status: volumeStatusText(status, t) })

const dialogs = { attach: AttachVolumeDialog, extend: ExtendVolumeDialog, edit: VolumeEditForm }

interface VolumeActions {
  actions: (volume: Volume) => RowAction[]
  bulk: Removal<Volume>['bulk']
  /** The dialog opened by an action, to be rendered on the page. */
  dialog: ReactNode
}

/**
 * Volume actions for lists and for the details page. `deleted`: called after a volume has been deleted from its details
 * page.
 */
export function useVolumeActions({ deleted }: { deleted?: () => void } = {}): VolumeActions {
  const t = useT('storage')
  const go = useAppNavigate()
  // forms opened from the details page return to it
  const back = deleted ? [TO_VOLUME] : []
  const may = useMay()
  const [opened, open] = useState<{ form: keyof typeof dialogs; volume: Volume }>()
  const days = useRecycleDays()
  const lock = useDeletionLock<Volume>(volumeResource)
  const remove = useCall(volumes.delete, {
    refresh: [volumes.list, volumeSnapshots.list, quotas.view, recycleBin.list],
  })
  const askToDelete = async (volume: Volume) => {
    const { confirmDeleteVolume } = await import('./delete-volume')
    return confirmDeleteVolume(volume, days, (query, signal) =>
      remove.run({ params: { id: volume.id }, query }, { signal }),
    )
  }
  const removal = useDeleteActions(volumeResource, {
    noteOfMany: (_, isPermanent) => (isPermanent ? t('volumes.deleteNote') : <RecycledMany days={days} />),
    isRecycled: days > 0,
    ask: askToDelete,
    barredBecause: (volume) => lock.barred(volume) ?? deleteBarred(volume, t),
    refresh: [quotas.view],
    deleted,
  })
  const detach = useCall(instances.detachVolume, { refresh: [volumes.list, volumes.view, instances.list] })
  const reset = useCall(volumes.resetState, {
    refresh: [volumes.list, volumes.view],
    done: ({ name }) => toast(t('volumes.resetDone', { name })),
  })

  const askDetach = ({ id, name, attachments: [user] }: Volume) =>
    user &&
    void confirm({
      title: t('volumes.detachTitle', { name, vm: user.server_name }),
      text: t('volumes.detachNote'),
      verb: t('volumes.detach'),
      run: (signal) => detach.run({ params: { id: user.server_id, volume_id: id } }, { signal }),
    })
  const askReset = ({ id, name }: Volume) =>
    void confirm({
      title: t('volumes.resetTitle', { name }),
      text: t('volumes.resetNote'),
      verb: t('volumes.reset'),
      run: (signal) => reset.run({ params: { id }, body: { event: 'resetState' } }, { signal }),
    })
  function actions(volume: Volume): RowAction[] {
    const { attachments } = volume
    const unless = (isPossible: boolean) => (isPossible ? undefined : barredByStatus(volume, t))
    const offered: (RowAction | false)[] = [
      may(instances.attachVolume.needs) &&
        attachments.length === 0 && {
          label: t('volumes.attach'),
          icon: AttachIcon,
          isLikely: true,
          disabledBecause: unless(volumeCan('attach', volume)),
          run: () => open({ form: 'attach', volume }),
        },
      may(instances.detachVolume.needs) &&
        attachments.length > 0 && {
          label: t('volumes.detach'),
          icon: DetachIcon,
          isLikely: true,
          disabledBecause: unless(volumeCan('detach', volume)),
          run: () => askDetach(volume),
        },
      may(volumes.extend.needs) && {
        label: t('volumes.extend'),
        icon: ResizeIcon,
        disabledBecause: unless(volumeCan('extend', volume)),
        run: () => open({ form: 'extend', volume }),
      },
      may(volumes.clone.needs) && {
        label: t('volumes.clone'),
        icon: CopyIcon,
        disabledBecause: unless(volumeCan('clone', volume)),
        run: () => go(volumeResource.paths.below(volume.id, 'clone', ...back), { keepsSearch: true }),
      },
      may(volumeSnapshots.create.needs) && {
        label: t('snapshots.create'),
        icon: SnapshotIcon,
        disabledBecause: unless(volumeCanBeCaptured(volume)),
        // the form is shown next to the snapshots of the volume
        run: () => go(snapshotPaths.tab(volume.id), { keepsSearch: true }),
      },
      may(volumes.uploadToImage.needs) && {
        label: t('volumes.toImage'),
        icon: ImageIcon,
        disabledBecause: unless(volumeCan('uploadToImage', volume)),
        run: () => go(volumeResource.paths.below(volume.id, 'image-add', ...back), { keepsSearch: true }),
      },
      may(volumes.update.needs) && {
        label: t('volumes.edit'),
        icon: EditIcon,
        disabledBecause: unless(volumeCan('rename', volume)),
        run: () => open({ form: 'edit', volume }),
      },
      may(volumes.resetState.needs) && {
        label: t('volumes.reset'),
        icon: RefreshIcon,
        disabledBecause:
          volumeInProgress(volume) || volume.status.startsWith('error') ? undefined : t('volumes.resetBarred'),
        run: () => askReset(volume),
      },
      ...lock.action(volume),
      ...removal.action(volume),
    ]
    return offered.filter((action) => action !== false)
  }

  const Opened = opened && dialogs[opened.form]
  return {
    actions,
    bulk: [...lock.bulk, ...removal.bulk],
    dialog: Opened && <Opened key={opened.volume.id} volume={opened.volume} onClose={() => open(undefined)} />,
  }
}
