import { isOfDirectory } from '@mainstay/contract/identity/directory-source'
import { rightsOf } from '@mainstay/contract/identity/rights'
import { SERVICE_ACCOUNT } from '@mainstay/contract/identity/user-roles'
import { userKind, users, type User } from '@mainstay/contract/identity/users'
import { useView } from '../../../api/use-view'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useParam, useTab } from '../../../nav/use-param'
import { DrawerPage } from '../../../patterns/DrawerPage'
import { Facts } from '../../../patterns/Facts'
import { standardFacts } from '../../../patterns/resource/standard-facts'
import { useIsAllTenants } from '../../../session/session'
import { Banner } from '../../../ui/feedback/Banner'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { permissionNames, projectCountOf, roleName, sourceName } from '../user-words'
import { userResource } from './resource'
import { UserLock } from './UserLock'
import { UserPasskeys } from './UserPasskeys'
import { UserSecondFactor } from './UserSecondFactor'
import { UserGroups } from './UserGroups'
import { UserPermissions } from './UserPermissions'
import { UserProjects } from './UserProjects'
import { UserTokens } from './UserTokens'
import { useUserActions } from './use-user-actions'

const tabs = {
  properties: Properties,
  projects: UserProjects,
  tokens: UserTokens,
  groups: UserGroups,
  permissions: UserPermissions,
}

/**
 * `/users/{id}/{properties|projects|tokens|groups|permissions}`: user details, in a drawer over the list. Service
 * accounts have tokens instead of groups.
 */
export default function UserPage() {
  const t = useT('identity')
  const go = useAppNavigate()
  const id = useParam('id')
  const selected = useTab(tabs)
  const Content = tabs[selected]
  const view = useView(users.view, { id }, { kind: userKind })
  const { actions } = useUserActions(() => go(userResource.paths.list(), { keepsSearch: true }))
  const { data } = view
  return (
    <DrawerPage
      view={view}
      what={t('users.one')}
      title={({ name }) => name}
      closeTo={userResource.paths.list()}
      actions={actions}
      tabs={{
        selected,
        to: (tab) => userResource.paths.below(id, tab),
        items: [
          { id: 'properties', label: t('users.properties') },
          { id: 'projects', label: t('users.projects'), count: data && projectCountOf(data) },
          data?.role === SERVICE_ACCOUNT
            ? { id: 'tokens' as const, label: t('tokens') }
            : { id: 'groups' as const, label: t('groups.title'), count: data?.groups.length },
          { id: 'permissions', label: t('users.permissions') },
        ],
      }}
    >
      {(user) => (
        <>
          {isOfDirectory(user) && selected === 'properties' && <Banner tone="busy">{t('users.ofDirectory')}</Banner>}
          <Content user={user} />
        </>
      )}
    </DrawerPage>
  )
}

const passwordWords = ({ role }: User, state: NonNullable<User['password_state']>) =>
  role === SERVICE_ACCOUNT && state === 'none'
    ? 'users.passwordState.ofService'
    : (`users.passwordState.${state}` as const)

function Properties({ user }: { user: User }) {
  const t = useT('identity')
  const patterns = useT('patterns')
  const format = useFormat()
  const isAllTenants = useIsAllTenants()
  const { enabled, email, description, identity_provider } = user
  const permissions = permissionNames(rightsOf(user), t)
  const { password_state } = user
  return (
    <>
      {identity_provider === null && (
        <>
          <UserLock user={user} />
          <UserSecondFactor user={user} />
          <UserPasskeys user={user} />
        </>
      )}
      <Facts
        rows={[
          [
            t('users.status'),
            <StatusBadge key="status" tone={enabled ? 'ok' : 'idle'}>
              {t(enabled ? 'users.enabled' : 'users.disabled')}
            </StatusBadge>,
          ],
          [t('users.role'), roleName(user.role, t)],
          [t('users.may'), permissions.length > 0 ? format.list(permissions) : t('users.mayNothing')],
          [t('users.email'), email],
          [t('users.description'), description],
          [t('users.provider'), sourceName(user, t)],
          password_state && [t('users.passwordState'), t(passwordWords(user, password_state))],
          ...standardFacts(user, patterns, isAllTenants),
        ]}
      />
    </>
  )
}
