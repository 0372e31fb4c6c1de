import { countedOfDomain } from '@mainstay/contract/all-quotas'
import { domainQuotas, quotas } from '@mainstay/contract/compute/quotas'
import { domainKind, domains, type Domain } from '@mainstay/contract/identity/domains'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useParam } from '../../../nav/use-param'
import { toast } from '../../../notices/notices'
import { useSession } from '../../../session/session'
import { useDomainCeilings } from '../quotas/DomainCeilings'
import { LimitsForm } from '../quotas/LimitsForm'
import { domainResource } from './resource'
import { settableCeilings } from './settable-ceilings'

/** `/domains/{id}/set-quotas`: sets the ceilings that apply to the total of all projects in a domain. */
export default function DomainQuotasForm() {
  const id = useParam('id')
  const { data } = useView(domains.view, { id }, { kind: domainKind })
  return data ? <QuotasForm domain={data} /> : null
}

function QuotasForm({ domain: { id, name } }: { domain: Domain }) {
  const t = useT('identity')
  const names = useSession(settableCeilings)
  const { data } = useDomainCeilings(id)
  const set = useCall(domainQuotas.set, {
    refresh: [domainQuotas.view, quotas.view],
    done: () => toast(t('quotas.done', { name })),
  })
  if (!data) return null
  return (
    <LimitsForm
      title={t('quotas.setTitle', { name })}
      names={names}
      amounts={countedOfDomain(data)}
      belowNote={t('quotas.belowNote')}
      send={(body) => set.run({ params: { id }, body })}
      closeTo={domainResource.paths.view(id)}
    />
  )
}
