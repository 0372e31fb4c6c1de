import { backupPlanKind, backupPlans } from '@mainstay/contract/protection/backup-plans'
import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { useT } from '../../../i18n/use-t'
import { viewPath } from '../../../nav/known-pages'
import { useMay } from '../../../session/may'
import { OriginName } from './OriginName'
import { usePlanNamed } from './use-named'

interface PointPlanProps {
  point: Pick<VolumeBackup, 'backup_plan_id' | 'backup_plan_name'>
  tabIndex?: 0 | -1
}

/** The backup plan that created a recovery point, linked to its details if it still exists; otherwise "Manual". */
export function PointPlan({ point: { backup_plan_id: id, backup_plan_name: name }, tabIndex = 0 }: PointPlanProps) {
  const t = useT('storage')
  const may = useMay()
  const found = usePlanNamed(id)
  if (id === null) return <>{t('backups.manual')}</>
  const to = may(backupPlans.view.needs) ? viewPath(backupPlanKind.name, id) : undefined
  return <OriginName name={name ?? id} found={found} to={to} tabIndex={tabIndex} />
}
