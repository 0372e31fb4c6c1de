import { allQuotas, type QuotaName } from '@mainstay/contract/all-quotas'
import { useFormat } from '../../../i18n/use-format'
import type { Translate } from '../../../i18n/use-t'

export const quotaLabel = (name: QuotaName, t: Translate<'identity'>): string => t(`quotas.of.${name}`)

/** Returns a function that formats an API amount of a quota for display. */
export function useQuotaFormat(): (name: QuotaName, amount: number) => string {
  const { bytes, number } = useFormat()
  return (name, amount) => (allQuotas[name].unit === 'things' ? number(amount) : bytes(amount))
}
