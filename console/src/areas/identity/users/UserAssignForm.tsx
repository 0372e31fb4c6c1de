import { projects } from '@mainstay/contract/identity/projects'
import { SERVICE_ACCOUNT } from '@mainstay/contract/identity/user-roles'
import { userKind, users } from '@mainstay/contract/identity/users'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useCloseTo, useParam } from '../../../nav/use-param'
import { toast } from '../../../notices/notices'
import { AssignForm } from '../AssignForm'
import { userResource } from './resource'

/** `/users/{id}/assign/{returnRoute?}`: assigns additional projects to a user, with the same role in each. */
export default function UserAssignForm() {
  const t = useT('identity')
  const id = useParam('id')
  const closeTo = useCloseTo(userResource.paths.list(), userResource.paths.below(id, 'projects'))
  const { data } = useView(users.view, { id }, { kind: userKind })
  const save = useCall(users.update, { refresh: [users.list, users.view, projects.list] })
  if (!data) return null
  const isService = data.role === SERVICE_ACCOUNT
  return (
    <AssignForm
      to={data}
      closeTo={closeTo}
      isRoleFixed={isService}
      assign={async (assigned) => {
        const assigned_projects = isService
          ? assigned.map((it) => ({ ...it, role: SERVICE_ACCOUNT }) as const)
          : assigned
        await save.run({ params: { id }, body: { assigned_projects } })
        toast(t('users.assigned', { name: data.name, count: assigned_projects.length }))
      }}
    />
  )
}
