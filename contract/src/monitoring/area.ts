import { area } from '../core/area'
import { alertRuleKind, alertRules } from './alert-rules'
import { alertKind, alerts } from './alerts'
import { auditLog } from './audit-log'
import { instanceFigures } from './instance-metrics'
import { metricQueries } from './metric-queries'
import { monitoringTolerances } from './tolerances'

export const monitoringArea = area({
  name: 'monitoring',
  title: 'alerts and metrics',
  resources: {
    alerts: { kind: alertKind, calls: alerts },
    alertRules: { kind: alertRuleKind, calls: alertRules },
    auditLog: { calls: auditLog },
    metricQueries: { calls: metricQueries },
    instanceFigures: { calls: instanceFigures },
  },
  tolerances: monitoringTolerances,
})
