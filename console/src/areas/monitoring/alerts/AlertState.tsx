import type { Alert } from '@mainstay/contract/monitoring/alerts'
import { useT } from '../../../i18n/use-t'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { Suspended } from './Suspended'

/** Shows an alert's state: open, ignored, suspended (and until when), or closed. */
export function AlertState({ alert: { state, enabled, suspended, suspended_until } }: { alert: Alert }) {
  const t = useT('alerts')
  if (state === 'closed') return <StatusBadge tone="ok">{t('state.closed')}</StatusBadge>
  if (!enabled) return <StatusBadge tone="idle">{t('state.ignored')}</StatusBadge>
  if (suspended) return <Suspended until={suspended_until} />
  return <StatusBadge tone="warn">{t('state.raised')}</StatusBadge>
}
