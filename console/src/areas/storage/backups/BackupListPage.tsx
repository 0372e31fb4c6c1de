import { backupStatuses } from '@mainstay/contract/storage/backup-rules'
import { volumeBackupKind, volumeBackups } from '@mainstay/contract/storage/volume-backups'
import { useList } from '../../../api/use-list'
import { useT, type Translate } from '../../../i18n/use-t'
import { ResourceListPage } from '../../../patterns/resource/ResourceListPage'
import type { ListFilter } from '../../../patterns/table/filter-text'
import { useIsAllTenants } from '../../../session/session'
import { backupColumns } from './backup-columns'
import { backupStatusText, backupTypeText } from './backup-words'
import { DaysView } from './days/DaysView'
import { PointViews, usePointView } from './days/PointViews'
import { periodFilter, withPeriod } from './period-filter'
import { volumeBackupResource } from './resource'
import { useBackupActions } from './use-backup-actions'

const filters = (t: Translate<'storage'>, isAllTenants: boolean): ListFilter[] => [
  {
    name: 'status',
    label: t('volumes.status'),
    options: backupStatuses.map((value) => ({ value, label: backupStatusText(value, t) })),
  },
  { name: 'name', label: t('volumes.name') },
  { name: 'volume_name', label: t('volumes.one') },
  // matches whole names, so that rows can be grouped by them
  { name: 'server_name', label: t('volumes.vm.one'), operator: 'exact' },
  { name: 'backup_plan_name', label: t('backups.plan'), operator: 'exact' },
  { name: 'backup_plan_id', label: t('backups.planId') },
  {
    name: 'is_incremental',
    label: t('backups.type'),
    options: [false, true].map((isIncremental) => ({
      value: String(isIncremental),
      label: backupTypeText({ is_incremental: isIncremental }, t),
    })),
  },
  periodFilter(t),
  ...(isAllTenants ? [{ name: 'project_id', label: t('volumes.project'), operator: 'in' as const }] : []),
]

/**
 * The recovery points of all volumes, also of deleted ones: as a list, in a calendar, or by virtual machine and day. One
 * page holds all views, so that the switch between them keeps the focus.
 */
export default function BackupListPage() {
  const t = useT('storage')
  const view = usePointView()
  const isAllTenants = useIsAllTenants()
  const list = withPeriod(useList(volumeBackups.list, volumeBackupKind, { isEnabled: view === 'list' }))
  const { actions, bulk } = useBackupActions({ points: list.rows })
  const offered = filters(t, isAllTenants)
  return (
    <ResourceListPage
      resource={volumeBackupResource}
      list={list}
      columns={backupColumns}
      actions={actions}
      filters={offered}
      bulk={bulk}
      links={<PointViews />}
      instead={view !== 'list' && <DaysView view={view} list={list} filters={offered} />}
    />
  )
}
