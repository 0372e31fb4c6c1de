import {
  booleans,
  isFalse,
  listParams,
  lowerCase,
  microseconds,
  numbers,
  renamed,
  unpaged,
  type CallTolerances,
  type Rewrite,
} from '../core/tolerance'
import { alerts } from './alerts'
import { auditLog } from './audit-log'

/** Rewrites the query of clients that send filters as JSON: `"enabled": "False"` there also returns disabled alerts. They expect all rows at once. */
const gridOfAlerts: Rewrite = (query) => {
  if (!Object.hasOwn(query, 'params')) return query
  const { enabled, ...others } = listParams(query)
  const isChosen = enabled !== undefined && !isFalse(enabled)
  const chosen = isChosen && { enabled: enabled === true ? 'true' : enabled }
  return lowerCase('enabled')(unpaged({ ...others, ...chosen }))
}
/** Grids identify an alert by a number, both in the list and in updates. */
const numberedAlert: readonly Rewrite[] = [numbers('id'), microseconds('datetime')]

export const monitoringTolerances: CallTolerances = [
  [auditLog.list, { query: [listParams, renamed({ sort: 'sorters', search: 'filters.contained_text' })] }],
  [
    alerts.list,
    {
      query: [gridOfAlerts, renamed({ sorters: 'sort' })],
      answer: (query) => (Object.hasOwn(query, 'params') ? numberedAlert : [microseconds('datetime')]),
    },
  ],
  [alerts.update, { body: [booleans('enabled', 'suspended')], answer: numberedAlert }],
  ...[alerts.view, alerts.save].map((call) => [call, { answer: [microseconds('datetime')] }] as const),
]
