import { allQuotas, type QuotaName } from '@mainstay/contract/all-quotas'
import { useFormat } from '../i18n/use-format'
import { Meter } from '../ui/feedback/Meter'

export interface QuotaMeterProps {
  name: QuotaName
  label: string
  /** As the quotas call answers it; a limit of -1 is none. */
  quota: { limit: number; used: number } | undefined
  /** What this form would add. */
  added: number
}

/** What a form costs, drawn while it is filled in, in the quota's unit. */
export function QuotaMeter({ name, label, quota, added }: QuotaMeterProps) {
  const { bytes } = useFormat()
  if (!quota) return null
  const format = allQuotas[name].unit === 'things' ? undefined : bytes
  return (
    <Meter label={label} used={quota.used} added={added} limit={quota.limit < 0 ? null : quota.limit} format={format} />
  )
}
