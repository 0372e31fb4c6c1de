import { groups } from '@mainstay/contract/identity/groups'
import { identityProviders } from '@mainstay/contract/identity/identity-providers'
import { users } from '@mainstay/contract/identity/users'
import { engines } from '@mainstay/contract/infrastructure/engines'
import { useT } from '../../i18n/use-t'
import { PageTabs } from '../../patterns/PageTabs'
import { useMay } from '../../session/may'
import { groupResource } from './groups/resource'
import { providerResource } from './providers/resource'
import { operatorsPath, userResource } from './users/resource'

/** Users, the groups that they are in, through whom they sign in and, for operators, who operates the installation. */
export function PeopleTabs({ selected }: { selected: 'users' | 'groups' | 'providers' | 'operators' }) {
  const t = useT('identity')
  const may = useMay()
  const items = [
    { id: 'users', label: t('users.title'), to: userResource.paths.list(), needs: users.list.needs },
    { id: 'groups', label: t('groups.title'), to: groupResource.paths.list(), needs: groups.list.needs },
    {
      id: 'providers',
      label: t('providers.title'),
      to: providerResource.paths.list(),
      needs: identityProviders.list.needs,
    },
    { id: 'operators', label: t('operators.title'), to: operatorsPath, needs: engines.list.needs },
  ]
  return <PageTabs label={t('people')} selected={selected} items={items.filter(({ needs }) => may(needs))} />
}
