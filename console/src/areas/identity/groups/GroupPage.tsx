import { isOfDirectory } from '@mainstay/contract/identity/directory-source'
import { groupKind, groups, type Group } from '@mainstay/contract/identity/groups'
import { useView } from '../../../api/use-view'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useParam, useTab } from '../../../nav/use-param'
import { DrawerPage } from '../../../patterns/DrawerPage'
import { Facts } from '../../../patterns/Facts'
import { standardFacts } from '../../../patterns/resource/standard-facts'
import { useIsAllTenants } from '../../../session/session'
import { permissionNames, roleName } from '../user-words'
import { GroupMembers } from './GroupMembers'
import { GroupProjects } from './GroupProjects'
import { groupResource } from './resource'
import { useGroupActions } from './use-group-actions'

const tabs = { properties: Properties, members: GroupMembers, projects: GroupProjects }

/** `/groups/{id}/{properties|members|projects}`: group details, in a drawer over the list. */
export default function GroupPage() {
  const t = useT('identity')
  const go = useAppNavigate()
  const id = useParam('id')
  const selected = useTab(tabs)
  const Content = tabs[selected]
  const view = useView(groups.view, { id }, { kind: groupKind })
  const { actions } = useGroupActions(() => go(groupResource.paths.list(), { keepsSearch: true }))
  const { data } = view
  return (
    <DrawerPage
      view={view}
      what={t('groups.one')}
      title={({ name }) => name}
      closeTo={groupResource.paths.list()}
      actions={actions}
      tabs={{
        selected,
        to: (tab) => groupResource.paths.below(id, tab),
        items: [
          { id: 'properties', label: t('groups.properties') },
          { id: 'members', label: t('groups.members'), count: data?.members_count },
          { id: 'projects', label: t('groups.projects'), count: data?.assigned_projects.length },
        ],
      }}
    >
      {(group) => <Content group={group} />}
    </DrawerPage>
  )
}

function Properties({ group }: { group: Group }) {
  const t = useT('identity')
  const patterns = useT('patterns')
  const format = useFormat()
  const isAllTenants = useIsAllTenants()
  const permissions = permissionNames(group, t)
  return (
    <Facts
      rows={[
        [t('groups.description'), group.description],
        [t('groups.role'), roleName(group.role, t)],
        [t('users.may'), permissions.length > 0 ? format.list(permissions) : t('users.mayNothing')],
        [t('groups.source'), t(isOfDirectory(group) ? 'users.directory' : 'groups.local')],
        ...standardFacts(group, patterns, isAllTenants),
      ]}
    />
  )
}
