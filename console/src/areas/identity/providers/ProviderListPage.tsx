import {
  identityProviderKind,
  identityProviders,
  type DomainProvider,
} from '@mainstay/contract/identity/identity-providers'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { ResourceListPage } from '../../../patterns/resource/ResourceListPage'
import { columns } from '../../../patterns/table/columns'
import { useDomainFilter } from '../use-domain-filter'
import { providerResource } from './resource'
import { useProviderActions } from './use-provider-actions'

const column = columns<DomainProvider>('identity')

const shown = [
  column.link('name', 'providers.name', providerResource.paths.view),
  column.status('enabled', 'providers.status', ({ enabled }, t) =>
    enabled ? { tone: 'ok', text: t('providers.enabled') } : { tone: 'idle', text: t('providers.disabled') },
  ),
  column.text('issuer', 'providers.issuer', { width: 320 }),
  column.domain('domain_id', { isHidden: false }),
  column.created('created_at'),
  column.ownId(),
]

/** `/identity-providers`: the identity providers that users in a domain can sign in with. */
export default function ProviderListPage() {
  const t = useT('identity')
  const list = useList(identityProviders.list, identityProviderKind)
  const ofDomain = useDomainFilter()
  const { actions, bulk } = useProviderActions()
  return (
    <ResourceListPage
      resource={providerResource}
      list={list}
      columns={shown}
      actions={actions}
      bulk={bulk}
      filters={[
        ...ofDomain,
        { name: 'name', label: t('providers.name') },
        {
          name: 'enabled',
          label: t('providers.status'),
          options: [
            { value: 'true', label: t('providers.enabled') },
            { value: 'false', label: t('providers.disabled') },
          ],
        },
      ]}
    />
  )
}
