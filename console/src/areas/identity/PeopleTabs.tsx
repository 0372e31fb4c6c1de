import { groups } from '@mainstay/contract/identity/groups'
import { users } from '@mainstay/contract/identity/users'
import { useT } from '../../i18n/use-t'
import { PageTabs } from '../../patterns/PageTabs'
import { useMay } from '../../session/may'
import { groupResource } from './groups/resource'
import { userResource } from './users/resource'

/** Users, and the groups that they are in. */
export function PeopleTabs({ selected }: { selected: 'users' | 'groups' }) {
  const t = useT('identity')
  const may = useMay()
  const items = [
    { id: 'users', label: t('users.title'), to: userResource.paths.list(), needs: users.list.needs },
    { id: 'groups', label: t('groups.title'), to: groupResource.paths.list(), needs: groups.list.needs },
  ]
  return <PageTabs label={t('people')} selected={selected} items={items.filter(({ needs }) => may(needs))} />
}
