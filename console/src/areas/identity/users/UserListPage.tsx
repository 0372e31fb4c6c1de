import { userRoles } from '@mainstay/contract/identity/user-roles'
import { userKind, users, type User } from '@mainstay/contract/identity/users'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { ResourceListPage } from '../../../patterns/resource/ResourceListPage'
import { columns } from '../../../patterns/table/columns'
import { Amount } from '../../../ui/values/Bytes'
import { useDomainFilter } from '../use-domain-filter'
import { projectCountOf, roleName, sourceName } from '../user-words'
import { userResource } from './resource'
import { useUserActions } from './use-user-actions'

const column = columns<User>('identity')

const shown = [
  column.link('name', 'users.login', userResource.paths.view),
  column.status('enabled', 'users.status', ({ enabled }, t) =>
    enabled ? { tone: 'ok', text: t('users.enabled') } : { tone: 'idle', text: t('users.disabled') },
  ),
  column.node('role', 'users.role', ({ role }, { t }) => roleName(role, t), { width: 190, card: 'plain' }),
  column.text('email', 'users.email', { width: 220 }),
  column.node('projects', 'users.projectsCount', (user) => <Amount of={projectCountOf(user)} />, {
    isAtEnd: true,
    width: 110,
  }),
  column.node('groups', 'groups.title', ({ groups }) => groups.map(({ name }) => name).join(', ') || null, {
    isHidden: true,
    width: 200,
  }),
  column.node('identity_provider', 'users.provider', (user, { t }) => sourceName(user, t), { isHidden: true }),
  column.text('description', 'users.description', { isHidden: true, width: 240 }),
  column.domain('domain_id', { isHidden: false }),
  column.created('created_at'),
  column.ownId(),
]

export default function UserListPage() {
  const t = useT('identity')
  const list = useList(users.list, userKind)
  const ofDomain = useDomainFilter()
  const { actions, bulk } = useUserActions()
  return (
    <ResourceListPage
      resource={userResource}
      list={list}
      columns={shown}
      actions={actions}
      bulk={bulk}
      filters={[
        ...ofDomain,
        { name: 'name', label: t('users.login') },
        { name: 'email', label: t('users.email') },
        {
          name: 'role',
          label: t('users.role'),
          options: userRoles.map((value) => ({ value, label: roleName(value, t) })),
        },
        {
          name: 'enabled',
          label: t('users.status'),
          options: [
            { value: 'true', label: t('users.enabled') },
            { value: 'false', label: t('users.disabled') },
          ],
        },
      ]}
    />
  )
}
