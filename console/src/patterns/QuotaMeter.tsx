import { Meter } from '../ui/feedback/Meter'

export interface QuotaMeterProps {
  label: string
  /** As the quotas call answers it; a limit of -1 is none. */
  quota: { limit: number; used: number } | undefined
  /** What this form would add. */
  added: number
  format?: ((value: number) => string) | undefined
}

/** What a form costs, drawn while it is filled in. */
export const QuotaMeter = ({ label, quota, added, format }: QuotaMeterProps) =>
  quota && (
    <Meter label={label} used={quota.used} added={added} limit={quota.limit < 0 ? null : quota.limit} format={format} />
  )
