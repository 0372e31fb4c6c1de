import { groups } from '@mainstay/contract/identity/groups'
import { projects } from '@mainstay/contract/identity/projects'
import { users, type User } from '@mainstay/contract/identity/users'
import { useCall } from '../../../api/use-call'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { useMay } from '../../../session/may'
import { useIsAllTenants } from '../../../session/session'
import { EmptyState } from '../../../ui/feedback/EmptyState'
import { Assignments } from '../Assignments'
import { groupResource } from '../groups/resource'
import { permissionNames } from '../user-words'

/** The groups that a user belongs to, and the permissions that each grants. */
export function UserGroups({ user }: { user: User }) {
  const t = useT('identity')
  const format = useFormat()
  const may = useMay()
  const isOperator = useIsAllTenants()
  const remove = useCall(groups.removeMembers, {
    refresh: [users.list, users.view, groups.list, groups.view, projects.list, projects.view],
  })
  if (user.groups.length === 0) return <EmptyState>{t('users.noGroups')}</EmptyState>
  return (
    <Assignments
      label={t('groups.title')}
      isLoading={false}
      mayChange={may(groups.removeMembers.needs)}
      rows={user.groups.map((group) => {
        const count = group.assigned_projects.length
        const brings = [...permissionNames(group, t), ...(count > 0 ? [t('groups.countOfProjects', { count })] : [])]
        return {
          id: group.id,
          name: group.name,
          to: groupResource.paths.view(group.id),
          note: brings.length > 0 ? format.list(brings) : undefined,
          isFixed: !isOperator && group.system_permissions.length > 0,
        }
      })}
      removeLabel={(group) => t('groups.leave', { name: group })}
      onRemove={async ({ id, name }) => {
        await remove.run({ params: { id }, body: { uuids: [user.id] } })
        toast(t('groups.memberRemoved', { user: user.name, name }))
      }}
    />
  )
}
