import { useT } from '../../../i18n/use-t'
import { useFormat } from '../../../i18n/use-format'
import { StatusBadge } from '../../../ui/values/StatusBadge'

/** A badge for a suspended alert or rule that shows when the suspension ends. */
export function Suspended({ until }: { until: string | null }) {
  const t = useT('alerts')
  const format = useFormat()
  return (
    <StatusBadge tone="idle">
      {until === null ? t('state.suspended') : t('state.suspendedUntil', { until: format.dateTime(until) })}
    </StatusBadge>
  )
}
