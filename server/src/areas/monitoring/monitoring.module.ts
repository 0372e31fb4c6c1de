import { alertRuleKind } from '@mainstay/contract/monitoring/alert-rules'
import { alertKind } from '@mainstay/contract/monitoring/alerts'
import { taskKind } from '@mainstay/contract/core/tasks'
import { module } from '../../module'
import { alertRoutes, alertRuleRoutes } from './alerts/alerts.routes'
import { alertEvaluation } from './alerts/evaluate'
import { seedAlertRules } from './alerts/rules'
import { instanceFigureRoutes } from './instance-metrics.routes'
import { metricQueryRoutes } from './metric-queries.routes'
import { auditRetention, auditSealing, tidying } from './retention'
import { auditLogRoutes } from './audit-log.routes'
import { samplersOf } from './samplers/all'
import { taskRoutes } from './tasks.routes'

export const monitoringModule = module({
  routes: [taskRoutes, auditLogRoutes, metricQueryRoutes, instanceFigureRoutes, alertRoutes, alertRuleRoutes],
  kinds: [taskKind, alertKind, alertRuleKind],
  schedules: [auditRetention, auditSealing, tidying, alertEvaluation],
  seed: ({ inventory }) => seedAlertRules(inventory),
  open(tools) {
    for (const sampler of samplersOf(tools, tools.config.dataFolder)) tools.figures.sampling.add(sampler)
    return {}
  },
})
