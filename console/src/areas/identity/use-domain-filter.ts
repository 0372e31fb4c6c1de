import { domainKind, domains } from '@mainstay/contract/identity/domains'
import { useList } from '../../api/use-list'
import { useT } from '../../i18n/use-t'
import type { ListFilter } from '../../patterns/table/filter-text'
import { useIsAllTenants } from '../../session/session'

const mostOffered = 200

/** Domain filter for lists that span all domains: a choice of names, or an ID field if there are too many domains. */
export function useDomainFilter(): ListFilter[] {
  const t = useT('identity')
  const isAllTenants = useIsAllTenants()
  const { rows, hasMore } = useList(domains.list, domainKind, {
    stateIn: 'memory',
    limit: mostOffered,
    isEnabled: isAllTenants,
  })
  if (!isAllTenants) return []
  const label = t('domains.one')
  if (hasMore) return [{ name: 'domain_id', label, operator: 'exact' }]
  return [{ name: 'domain_id', label, options: rows.map(({ id, name }) => ({ value: id, label: name })) }]
}
