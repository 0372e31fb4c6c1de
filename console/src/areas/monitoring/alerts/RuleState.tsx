import type { AlertRule } from '@mainstay/contract/monitoring/alert-rules'
import { useT } from '../../../i18n/use-t'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { Suspended } from './Suspended'

/**
 * Shows a rule's state: disabled, suspended, unknown because there is no data, or the result of its last evaluation.
 */
export function RuleState({ rule: { enabled, suspended, suspended_until, state } }: { rule: AlertRule }) {
  const t = useT('alerts')
  if (!enabled) return <StatusBadge tone="idle">{t('rule.disabled')}</StatusBadge>
  if (suspended) return <Suspended until={suspended_until} />
  if (state === 'unknown') return <StatusBadge tone="warn">{t('rule.unknown')}</StatusBadge>
  return <StatusBadge tone={state === 'waiting' ? 'idle' : 'ok'}>{t(`rule.${state}`)}</StatusBadge>
}
