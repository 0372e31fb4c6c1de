import { countedOfDomain } from '@mainstay/contract/all-quotas'
import { domainQuotas } from '@mainstay/contract/compute/quotas'
import type { Domain } from '@mainstay/contract/identity/domains'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { useMay } from '../../../session/may'
import { useSession } from '../../../session/session'
import { buttonClass } from '../../../ui/button-class'
import { useDomainCeilings } from '../quotas/DomainCeilings'
import { QuotaMeters } from '../quotas/QuotaMeters'
import css from '../quotas/QuotaMeters.module.css'
import { domainResource } from './resource'
import { settableCeilings } from './settable-ceilings'

/** Total usage and ceilings for all projects in a domain. Renders nothing if no engine supports them. */
export function DomainQuotas({ item: { id } }: { item: Domain }) {
  const t = useT('identity')
  const may = useMay()
  const names = useSession(settableCeilings)
  const { data } = useDomainCeilings(id)
  if (!data || names.length === 0) return null
  return (
    <>
      <h3 className={css.part}>{t('quotas.title')}</h3>
      <p className={css.note}>{t('quotas.ofDomainNote')}</p>
      <QuotaMeters names={names} amounts={countedOfDomain(data)} />
      {may(domainQuotas.set.needs) && (
        <div>
          <Link to={domainResource.paths.below(id, 'set-quotas')} keepsSearch className={buttonClass({})}>
            {t('quotas.set')}
          </Link>
        </div>
      )}
    </>
  )
}
