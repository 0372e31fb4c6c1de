import type { VolumeSnapshot } from '@mainstay/contract/storage/volume-snapshots'
import { columns } from '../../../patterns/table/columns'
import { snapshotStatus } from './snapshot-words'
import { SnapshotName, SnapshotTime } from './SnapshotName'
import { VolumeName } from './VolumeName'

const column = columns<VolumeSnapshot>('storage')
const status = column.status('status', 'volumes.status', snapshotStatus, { width: 112 })
const size = column.bytes('size', 'volumes.size', { width: 80 })

/** Columns for the snapshots of one volume. */
export const columnsOfVolume = [
  column.node('name', 'volumes.name', (snapshot) => <SnapshotName snapshot={snapshot} />, { width: 156 }),
  status,
  size,
  column.node('created_at', 'snapshots.created', (snapshot) => <SnapshotTime snapshot={snapshot} />, {
    width: 116,
    card: 'plain',
  }),
]

/** Columns for the snapshots of all volumes. */
export const columnsOfAll = [
  column.node(
    'name',
    'volumes.name',
    (snapshot, { tabIndex }) => <SnapshotName snapshot={snapshot} isLink tabIndex={tabIndex} />,
    { width: 220 },
  ),
  status,
  size,
  column.node(
    'volume',
    'volumes.one',
    ({ volume_id: id }, { tabIndex }) => <VolumeName id={id} tabIndex={tabIndex} />,
    { width: 200, card: 'plain' },
  ),
  column.created('created_at'),
  column.project('project_id'),
  column.domain('domain_id'),
  column.text('description', 'volumes.description', { isHidden: true, width: 220 }),
  column.updated('updated_at'),
  column.ownId(),
]
