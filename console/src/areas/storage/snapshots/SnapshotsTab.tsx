import { newestSnapshots } from '@mainstay/contract/storage/snapshot-rules'
import { volumeSnapshots } from '@mainstay/contract/storage/volume-snapshots'
import type { Volume } from '@mainstay/contract/storage/volumes'
import { useT } from '../../../i18n/use-t'
import { ResourceTable } from '../../../patterns/table/ResourceTable'
import { useMay } from '../../../session/may'
import { columnsOfVolume } from './snapshot-columns'
import { SnapshotCreateForm } from './SnapshotCreateForm'
import { SnapshotLine } from './SnapshotLine'
import css from './SnapshotsTab.module.css'
import { useSnapshotActions } from './use-snapshot-actions'
import type { useSnapshotsOf } from './use-snapshots-of'

interface SnapshotsTabProps {
  volume: Volume
  list: ReturnType<typeof useSnapshotsOf>
}

/** Shows the snapshots of a volume in order of creation and as a table, with a form that creates a snapshot. */
export default function SnapshotsTab({ volume, list }: SnapshotsTabProps) {
  const t = useT('storage')
  const may = useMay()
  const newest = newestSnapshots(list.rows).get(volume.id)
  const { actions, bulk, dialog } = useSnapshotActions({ isInVolume: true, newest })
  return (
    <div className={css.place}>
      <div className={css.parts}>
        <div className={css.main}>
          {list.rows.length > 0 && <SnapshotLine volume={volume} snapshots={list.rows} newest={newest} />}
          <ResourceTable
            list={list}
            label={t('snapshots.many')}
            columns={columnsOfVolume}
            actions={actions}
            bulk={bulk}
            empty={t('snapshots.emptyOfVolume')}
            isShort
          />
        </div>
        {may(volumeSnapshots.create.needs) && <SnapshotCreateForm volume={volume} />}
      </div>
      {dialog}
    </div>
  )
}
