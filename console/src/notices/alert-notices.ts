import type { AlertSeverity } from '@mainstay/contract/monitoring/alert-rules'
import { alertKind, type Alert } from '@mainstay/contract/monitoring/alerts'
import { onChange } from '../api/changes'
import { loadTexts, textsNow } from '../i18n/use-t'
import { isPageKnown, viewPath } from '../nav/known-pages'
import { adviceText, alertText, alertTitle } from './alert-words'
import { notify } from './notices'
import type { NoticeType } from './notice-types'

const types: Readonly<Record<AlertSeverity, NoticeType>> = {
  ...{ critical: 'error', error: 'error', warning: 'warning', info: 'info' },
}

/** Whether the alert was just raised or closed. Other changes, such as a user ignoring it, are not announced. */
const isNews = ({ state, created_at, closed_at, updated_at, enabled, suspended }: Alert): boolean =>
  enabled && !suspended && (state === 'closed' ? closed_at === updated_at : created_at === updated_at)

/** ID shared by all alerts from one evaluation of a rule. These alerts are shown as one notification. */
const evaluationOf = ({ type, created_at }: Alert) => `alert-${type}-${created_at}`
const mostEvaluations = 100
const told = new Map<string, Map<string, Alert>>()

/** Stores an alert's latest state and returns all alerts from the same evaluation. */
function remember(alert: Alert): readonly Alert[] {
  const id = evaluationOf(alert)
  const alerts = (told.get(id) ?? new Map<string, Alert>()).set(alert.id, alert)
  told.delete(id)
  told.set(id, alerts)
  if (told.size > mostEvaluations) told.delete(told.keys().next().value!)
  return [...alerts.values()]
}

/** Shows one notification for all alerts that a rule raises at once, and updates it when all of them are closed. */
async function tell(alert: Alert): Promise<void> {
  const all = remember(alert)
  await Promise.all([loadTexts('alerts'), loadTexts('notices')])
  const t = textsNow('alerts')
  const open = all.filter(({ state }) => state === 'raised')
  const isClosed = open.length === 0
  const shown = isClosed ? all : open
  const [{ type, severity, object_kind, object_id, object_name: name }] = shown as [Alert]
  const list = isPageKnown('alerts') ? '/alerts' : undefined
  const page = shown.length === 1 ? (viewPath(object_kind, object_id) ?? list) : list
  notify({
    id: evaluationOf(alert),
    type: isClosed ? 'success' : types[severity],
    title: isClosed ? t('told.closed', { name, count: shown.length }) : alertTitle(shown),
    message: isClosed ? alertText(type) : adviceText(type),
    actions: page === undefined ? [] : [{ label: textsNow('notices')('open'), name: 'open', payload: page }],
  })
}

/**
 * Shows notifications for alerts that are raised or closed while the page is open. Returns a function to stop showing
 * them.
 */
export const showAlertNotices = (): (() => void) =>
  onChange(alertKind.name, ({ entity }) => {
    if (entity && isNews(entity as unknown as Alert)) void tell(entity as unknown as Alert)
  })
