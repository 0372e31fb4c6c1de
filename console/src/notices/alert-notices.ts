import type { AlertSeverity } from '@mainstay/contract/monitoring/alert-rules'
import { alertKind, type Alert } from '@mainstay/contract/monitoring/alerts'
import { onChange } from '../api/changes'
import { loadTexts, textsNow } from '../i18n/use-t'
import { isPageKnown, viewPath } from '../nav/known-pages'
import { adviceText, alertText } from './alert-words'
import { notify } from './notices'
import type { NoticeType } from './notice-types'

const types: Readonly<Record<AlertSeverity, NoticeType>> = {
  ...{ critical: 'error', error: 'error', warning: 'warning', info: 'info' },
}

/** Whether this change of an alert raised or closed it; what people change of it is no news. */
const isNews = ({ state, created_at, closed_at, updated_at, enabled, suspended }: Alert): boolean =>
  enabled && !suspended && (state === 'closed' ? closed_at === updated_at : created_at === updated_at)

/** One notification for an alert, which says when it is raised, and in the same place when it is closed. */
async function tell(alert: Alert): Promise<void> {
  await Promise.all([loadTexts('alerts'), loadTexts('notices')])
  const t = textsNow('alerts')
  const { id, type, severity, state, object_name: name, object_kind, object_id } = alert
  const what = alertText(type, t)
  const isClosed = state === 'closed'
  const page = viewPath(object_kind, object_id) ?? (isPageKnown('alerts') ? '/alerts' : undefined)
  notify({
    id: `alert-${id}`,
    type: isClosed ? 'success' : types[severity],
    title: isClosed ? t('told.closed', { name }) : t('told.raised', { what, name }),
    message: isClosed ? what : adviceText(type, t),
    actions: page === undefined ? [] : [{ label: textsNow('notices')('open'), name: 'open', payload: page }],
  })
}

/** Tells of alerts that are raised and closed while this page is there. Gives back how to stop. */
export const tellAlerts = (): (() => void) =>
  onChange(alertKind.name, ({ entity }) => {
    if (entity && isNews(entity as unknown as Alert)) void tell(entity as unknown as Alert)
  })
