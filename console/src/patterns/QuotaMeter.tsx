import { allQuotas, type QuotaName } from '@mainstay/contract/all-quotas'
import { useFormat } from '../i18n/use-format'
import { Meter } from '../ui/feedback/Meter'

export interface QuotaMeterProps {
  name: QuotaName
  label: string
  /** As returned by the quotas call; a limit of -1 means unlimited. */
  quota: { limit: number; used: number } | undefined
  /** Amount that the form would add. */
  added: number
}

/** Usage of one quota, including what the form would add, in the quota's unit. */
export function QuotaMeter({ name, label, quota, added }: QuotaMeterProps) {
  const { bytes } = useFormat()
  if (!quota) return null
  const format = allQuotas[name].unit === 'things' ? undefined : bytes
  return (
    <Meter label={label} used={quota.used} added={added} limit={quota.limit < 0 ? null : quota.limit} format={format} />
  )
}
