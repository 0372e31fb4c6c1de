import { taskKind } from '@mainstay/contract/core/tasks'
import { module } from '../../module'
import { auditRetention, tidying } from './retention'
import { taskRoutes } from './tasks.routes'

export const monitoringModule = module({
  routes: [taskRoutes],
  kinds: [taskKind],
  schedules: [auditRetention, tidying],
})
