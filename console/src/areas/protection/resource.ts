import { backupPlanKind, backupPlans } from '@mainstay/contract/protection/backup-plans'
import { resource } from '../../nav/resource'

export const backupPlanResource = resource({
  kind: backupPlanKind,
  calls: backupPlans,
  area: 'protection',
  words: 'plans',
  called: 'backupPlans',
  path: 'compute/backup-plans',
  menu: { in: 'protection', icon: 'ClockIcon', label: 'menu.backupPlans', service: 'compute' },
})
