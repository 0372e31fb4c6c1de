import { groupKind, groups } from '@mainstay/contract/identity/groups'
import { projects } from '@mainstay/contract/identity/projects'
import { users } from '@mainstay/contract/identity/users'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useParam } from '../../../nav/use-param'
import { toast } from '../../../notices/notices'
import { AssignForm } from '../AssignForm'
import { groupResource } from './resource'

/** `/groups/{id}/assign`: assigns additional projects to a group, with the same role in each. */
export default function GroupAssignForm() {
  const t = useT('identity')
  const id = useParam('id')
  const { data } = useView(groups.view, { id }, { kind: groupKind })
  const save = useCall(groups.update, {
    refresh: [groups.list, groups.view, users.list, users.view, projects.list, projects.view],
  })
  if (!data) return null
  return (
    <AssignForm
      to={data}
      closeTo={groupResource.paths.below(id, 'projects')}
      assign={async (assigned_projects) => {
        await save.run({ params: { id }, body: { assigned_projects } })
        toast(t('users.assigned', { name: data.name, count: assigned_projects.length }))
      }}
    />
  )
}
