import { groupKind, groups, type Group } from '@mainstay/contract/identity/groups'
import { userRoles } from '@mainstay/contract/identity/user-roles'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { ResourceListPage } from '../../../patterns/resource/ResourceListPage'
import { columns } from '../../../patterns/table/columns'
import { Amount } from '../../../ui/values/Bytes'
import { useDomainFilter } from '../use-domain-filter'
import { roleName } from '../user-words'
import { groupResource } from './resource'
import { useGroupActions } from './use-group-actions'

const column = columns<Group>('identity')

const shown = [
  column.link('name', 'groups.name', groupResource.paths.view),
  column.text('description', 'groups.description', { sortKey: '', width: 280 }),
  column.node('role', 'groups.role', ({ role }, { t }) => roleName(role, t), { width: 190, card: 'plain' }),
  column.number('members_count', 'groups.members', undefined, { width: 110 }),
  column.node('projects', 'groups.projects', ({ assigned_projects }) => <Amount of={assigned_projects.length} />, {
    isAtEnd: true,
    width: 110,
  }),
  column.domain('domain_id', { isHidden: false }),
  column.created('created_at'),
  column.ownId(),
]

/** `/groups`: groups of users with shared permissions. */
export default function GroupListPage() {
  const t = useT('identity')
  const list = useList(groups.list, groupKind)
  const ofDomain = useDomainFilter()
  const { actions, bulk } = useGroupActions()
  return (
    <ResourceListPage
      resource={groupResource}
      list={list}
      columns={shown}
      actions={actions}
      bulk={bulk}
      filters={[
        ...ofDomain,
        { name: 'name', label: t('groups.name') },
        {
          name: 'role',
          label: t('groups.role'),
          options: userRoles.map((value) => ({ value, label: roleName(value, t) })),
        },
      ]}
    />
  )
}
