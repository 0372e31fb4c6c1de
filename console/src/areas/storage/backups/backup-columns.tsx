import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { columns } from '../../../patterns/table/columns'
import { backupStatus, backupTypeText, restorability } from './backup-words'
import { PointMachine } from './PointMachine'
import { PointPlan } from './PointPlan'
import { PointVolume } from './PointVolume'
import { volumeBackupResource } from './resource'

const column = columns<VolumeBackup>('storage')

/** Columns of the list. On phones, a card shows the name and the status, and the next three values below them. */
export const backupColumns = [
  column.link('name', 'volumes.name', volumeBackupResource.paths.view, { width: 180 }),
  column.status('status', 'volumes.status', backupStatus, { width: 112 }),
  column.node(
    'volume_name',
    'volumes.one',
    (point, { tabIndex }) => <PointVolume point={point} tabIndex={tabIndex} />,
    { width: 150, card: 'plain' },
  ),
  column.status('verified_at', 'backups.restorable', restorability, { width: 150, card: 'plain' }),
  column.time('taken_at', 'backups.taken', { width: 110, card: 'plain' }),
  column.node(
    'server_name',
    'volumes.vm.one',
    (point, { tabIndex }) => (point.server_id === null ? null : <PointMachine point={point} tabIndex={tabIndex} />),
    { width: 130, card: 'plain' },
  ),
  column.node('plan', 'backups.plan', (point, { tabIndex }) => <PointPlan point={point} tabIndex={tabIndex} />, {
    width: 110,
    card: 'plain',
  }),
  column.node('type', 'backups.type', (point, { t }) => backupTypeText(point, t), { width: 100, card: 'plain' }),
  column.bytes('stored_size', 'backups.storedSize', { width: 90 }),
  column.bytes('size', 'volumes.size', { width: 80 }),
  column.project('project_id'),
  column.domain('domain_id'),
  column.text('storage_policy_name', 'volumes.policy', { isHidden: true, width: 130 }),
  column.text('description', 'volumes.description', { isHidden: true, width: 220 }),
  column.updated('updated_at'),
  column.ownId(),
]
