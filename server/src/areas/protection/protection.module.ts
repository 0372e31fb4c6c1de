import { backupPlanKind } from '@mainstay/contract/protection/backup-plans'
import { module } from '../../module'
import { backupPlanRoutes } from './backup-plans.routes'
import { backupEstimateRoutes } from './backup-estimate.routes'
import { machineRestoreRoutes } from './machine-restores.routes'
import { replacingMachine } from './replace-machine'
import { restoringMachine } from './restore-machine'
import { planSchedule } from './run-plan'
import { testingRestore } from './test-restore'

export const protectionModule = module({
  routes: [backupPlanRoutes, backupEstimateRoutes, machineRestoreRoutes],
  kinds: [backupPlanKind],
  jobs: [restoringMachine, replacingMachine, testingRestore],
  schedules: [planSchedule],
})
