import { countedOfDomain, domainQuotaNames } from '@mainstay/contract/all-quotas'
import { domainQuotas, quotaKind } from '@mainstay/contract/compute/quotas'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useMay } from '../../../session/may'
import { useSession } from '../../../session/session'
import css from './QuotaMeters.module.css'
import { QuotaMeters } from './QuotaMeters'

/**
 * Ceilings for the total of all projects in a domain. Renders nothing if none are set or the user may not read them.
 */
export function DomainCeilings({ id, note }: { id: string; note: string }) {
  const t = useT('identity')
  const { data } = useDomainCeilings(id)
  if (!data) return null
  const amounts = countedOfDomain(data)
  const names = domainQuotaNames.filter((name) => amounts[name].limit >= 0)
  if (names.length === 0) return null
  return (
    <>
      <h3 className={css.part}>{t('quotas.ofDomain')}</h3>
      <p className={css.note}>{note}</p>
      <QuotaMeters names={names} amounts={amounts} />
    </>
  )
}

/** Polling interval. Changes in the domain's other projects do not send events to this session. */
const everyMs = 15_000

export function useDomainCeilings(id: string) {
  const may = useMay()
  const areThere = useSession(({ meta }) => (meta?.settable_quotas.of_domains.length ?? 0) > 0)
  const isEnabled = areThere && may(domainQuotas.view.needs)
  return useView(domainQuotas.view, { id }, { kind: quotaKind, isEnabled, everyMs })
}
