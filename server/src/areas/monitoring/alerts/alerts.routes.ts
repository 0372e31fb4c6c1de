import { notFound, fieldProblem } from '@mainstay/contract/core/problems'
import { alertRuleKind, alertRules, type AlertRule } from '@mainstay/contract/monitoring/alert-rules'
import { alertKind, alerts, type Alert, type AlertChange } from '@mainstay/contract/monitoring/alerts'
import type { Scope } from '@mainstay/engines/ports/scope'
import { readFrom, serve } from '../../../http/serve'
import type { Tools } from '../../../tools'
import { lastEvaluation } from './evaluate'

type Row<Of> = Of & { [field: string]: unknown }

/**
 * Suspension after a change: `suspended: false` ends it, and without `suspended_until` it lasts until further notice.
 */
function suspensionAfter(change: { suspended?: boolean | undefined; suspended_until?: string | null | undefined }) {
  const { suspended, suspended_until = null } = change
  return suspended === undefined ? {} : { suspended, suspended_until: suspended ? suspended_until : null }
}

const given = (change: object) =>
  Object.fromEntries(
    Object.entries(change).filter(([name, value]) => value !== undefined && !name.startsWith('suspended')),
  )

const changeAlert = (
  inventory: Tools['inventory'],
  scope: Scope,
  id: string,
  change: Omit<AlertChange, 'id'>,
): Promise<Alert> =>
  inventory.transaction(async (records) => {
    // fails if the caller cannot see the alert
    await inventory.view(alertKind, scope, id)
    const kept = await records.lock<Row<Alert>>('alert', id)
    if (!kept) throw notFound()
    const next = { ...kept, ...given(change), ...suspensionAfter(change), updated_at: new Date().toISOString() }
    await records.put('alert', next)
    return next
  })

export const alertRoutes = serve(
  alerts,
  {
    ...readFrom<Alert>(alertKind),
    evaluation: (_, tools) => lastEvaluation(tools),
    save: ({ scope, body: { id, ...change } }, { inventory }) => changeAlert(inventory, scope, id, change),
    update: ({ scope, params, body }, { inventory }) => changeAlert(inventory, scope, params.id, body),
  },
  { kind: alertKind },
)

export const alertRuleRoutes = serve(
  alertRules,
  {
    ...readFrom<AlertRule>(alertRuleKind),
    save: ({ body }, { inventory }) =>
      inventory.transaction(async (records) => {
        const kept = await records.lock<Row<AlertRule>>('alert_rule', body.id)
        if (!kept) throw notFound()
        if (body.threshold !== undefined && kept.unit === null)
          throw fieldProblem('threshold', 'monitoring.no_threshold')
        if (body.threshold !== undefined && kept.unit === 'percent' && body.threshold > 100)
          throw fieldProblem('threshold', 'monitoring.too_many_percent', { most: 100 })
        const next = { ...kept, ...given(body), ...suspensionAfter(body), updated_at: new Date().toISOString() }
        await records.put('alert_rule', next)
        return next
      }),
  },
  { kind: alertRuleKind },
)
