import { area } from '../core/area'
import { backupEstimates } from './backup-estimate'
import { machineRestores } from './machine-restores'
import { protectionTolerances } from './tolerances'
import { backupPlanKind, backupPlans } from './backup-plans'

export const protectionArea = area({
  name: 'protection',
  title: 'backup plans',
  resources: {
    backupPlans: { kind: backupPlanKind, calls: backupPlans },
    machineRestores: { calls: machineRestores },
    backupEstimates: { calls: backupEstimates },
  },
  tolerances: protectionTolerances,
})
