import { taskKind } from '@mainstay/contract/core/tasks'
import { module } from '../../module'
import { auditRetention, auditSealing, tidying } from './retention'
import { auditLogRoutes } from './audit-log.routes'
import { taskRoutes } from './tasks.routes'

export const monitoringModule = module({
  routes: [taskRoutes, auditLogRoutes],
  kinds: [taskKind],
  schedules: [auditRetention, auditSealing, tidying],
})
