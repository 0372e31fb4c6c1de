import { DEFAULT_DOMAIN_ID } from '@mainstay/contract/identity/default-domain'
import { userKind, users, type User } from '@mainstay/contract/identity/users'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { AddLink } from '../../../patterns/AddLink'
import { Page } from '../../../patterns/Page'
import { columns } from '../../../patterns/table/columns'
import { ResourceTable } from '../../../patterns/table/ResourceTable'
import { permissionNames, roleName } from '../user-words'
import { userResource } from './resource'
import { useUserActions } from './use-user-actions'

const column = columns<User>('identity')

const shown = [
  column.link('name', 'users.login', userResource.paths.view),
  column.status('enabled', 'users.status', ({ enabled }, t) =>
    enabled ? { tone: 'ok', text: t('users.enabled') } : { tone: 'idle', text: t('users.disabled') },
  ),
  column.node('role', 'users.role', ({ role }, { t }) => roleName(role, t), { width: 190, card: 'plain' }),
  column.node('permissions', 'users.systemPermissions', (user, { t }) => permissionNames(user, t).join(', ') || null, {
    width: 320,
  }),
  column.text('email', 'users.email', { width: 220 }),
  column.created('created_at'),
  column.ownId(),
]
/** Limits the list to users in the default domain with a system role. */
const only = { domain_id: `in:${DEFAULT_DOMAIN_ID}`, role: 'in:system_admin,viewer,custom' }

/** `/system-administrators`: users with system permissions. The permissions are set in the user form. */
export default function OperatorListPage() {
  const t = useT('identity')
  const list = useList(users.list, userKind, { only })
  const { actions, bulk } = useUserActions()
  return (
    <Page
      title={t('operators.title')}
      isFilled
      actions={
        <AddLink to={userResource.paths.add()} needs={users.create.needs}>
          {t('users.add')}
        </AddLink>
      }
    >
      <ResourceTable
        list={list}
        label={t('operators.many')}
        columns={shown}
        actions={actions}
        bulk={bulk}
        filters={[{ name: 'name', label: t('users.login') }]}
        empty={t('operators.none')}
      />
    </Page>
  )
}
