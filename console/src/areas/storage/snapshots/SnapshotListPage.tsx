import { snapshotStatuses } from '@mainstay/contract/storage/snapshot-rules'
import { volumeSnapshotKind, volumeSnapshots } from '@mainstay/contract/storage/volume-snapshots'
import { useList } from '../../../api/use-list'
import { useT, type Translate } from '../../../i18n/use-t'
import { ResourceListPage } from '../../../patterns/resource/ResourceListPage'
import type { ListFilter } from '../../../patterns/table/filter-text'
import { snapshotResource } from './resource'
import { columnsOfAll } from './snapshot-columns'
import { snapshotStatusText } from './snapshot-words'
import { useSnapshotActions } from './use-snapshot-actions'

const filters = (t: Translate<'storage'>): ListFilter[] => [
  {
    name: 'status',
    label: t('volumes.status'),
    options: snapshotStatuses.map((value) => ({ value, label: snapshotStatusText(value, t) })),
  },
  { name: 'name', label: t('volumes.name') },
]

/** The snapshots of all volumes. */
export default function SnapshotListPage() {
  const t = useT('storage')
  const list = useList(volumeSnapshots.list, volumeSnapshotKind)
  const { actions, bulk, dialog } = useSnapshotActions({})
  return (
    <ResourceListPage
      resource={snapshotResource}
      list={list}
      columns={columnsOfAll}
      actions={actions}
      filters={filters(t)}
      bulk={bulk}
    >
      {dialog}
    </ResourceListPage>
  )
}
