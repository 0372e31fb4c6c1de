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

/** Whether this change of an alert raised or closed it; what people change of it is no news. */
const isNews = ({ state, created_at, closed_at, updated_at, enabled, suspended }: Alert): boolean =>
  enabled && !suspended && (state === 'closed' ? closed_at === updated_at : created_at === updated_at)

/** Alerts that one evaluation of a rule raised, which have one notification. */
const evaluationOf = ({ type, created_at }: Alert) => `alert-${type}-${created_at}`
const mostEvaluations = 100
const told = new Map<string, Map<string, Alert>>()

/** Adds an alert to those of its evaluation, as it is now. */
function remember(alert: Alert): readonly Alert[] {
  const id = evaluationOf(alert)
  const alerts = (told.get(id) ?? new Map<string, Alert>()).set(alert.id, alert)
  told.delete(id)
  told.set(id, alerts)
  if (told.size > mostEvaluations) told.delete(told.keys().next().value!)
  return [...alerts.values()]
}

/** One notification for all that a rule raises at once. It says when they are raised, and in the same place when all are closed. */
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

/** Tells of alerts that are raised and closed while this page is there. Gives back how to stop. */
export const showAlertNotices = (): (() => void) =>
  onChange(alertKind.name, ({ entity }) => {
    if (entity && isNews(entity as unknown as Alert)) void tell(entity as unknown as Alert)
  })
