import { projectKind, projects, type Project } from '@mainstay/contract/identity/projects'
import { projectRoles, SERVICE_ACCOUNT, type ProjectRole } from '@mainstay/contract/identity/user-roles'
import { users } from '@mainstay/contract/identity/users'
import * as z from 'zod'
import { inTurn } from '../../../api/dry-run'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { textsNow, useT } from '../../../i18n/use-t'
import { useCloseTo, useParam } from '../../../nav/use-param'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { Select } from '../../../patterns/form/form-fields'
import { UserPicker } from '../../../pickers/UserPicker'
import { IdsField } from '../IdsField'
import { projectRoleItems } from '../user-words'
import { projectResource } from './resource'

const Assignment = z.object({
  users: z.array(z.string()).min(1, { error: () => textsNow('identity')('projects.choose') }),
  role: z.enum(projectRoles),
})

/** `/projects/{id}/assign/{returnRoute?}`: adds members to a project, with the same role for each. */
export default function ProjectAssignForm() {
  const id = useParam('id')
  const { data } = useView(projects.view, { id }, { kind: projectKind })
  return data ? <AssignForm project={data} /> : null
}

function AssignForm({ project: { id, name, domain_id } }: { project: Project }) {
  const t = useT('identity')
  const closeTo = useCloseTo(projectResource.paths.list(), projectResource.paths.below(id, 'members'))
  const save = useCall(users.update, { refresh: [users.list, users.view, projects.list, projects.view] })
  /**
   * Assigns users one after another. If a call fails, earlier assignments are kept, and retrying is safe because the
   * calls are idempotent.
   */
  async function send({ users: ids, role }: z.output<typeof Assignment>) {
    const body = { assigned_projects: [{ project_id: id, role }] }
    await inTurn(ids.map((user) => () => save.run({ params: { id: user }, body })))
    toast(t('projects.assigned', { name, count: ids.length }))
  }
  return (
    <FormDialog
      title={t('projects.assignTitle', { name })}
      verb={t('projects.assign')}
      schema={Assignment}
      start={{ users: [], role: 'project_member' }}
      send={send}
      closeTo={closeTo}
    >
      <Select<ProjectRole> name="role" label={t('projects.roleIn')} items={projectRoleItems(t)} />
      <IdsField name="users">
        {(choosing) => (
          <UserPicker
            {...choosing}
            domainId={domain_id}
            disabledBecause={(user) => {
              if (user.assigned_projects.some((it) => it.project_id === id)) return t('projects.already')
              return user.role === SERVICE_ACCOUNT ? t('projects.isService') : undefined
            }}
          />
        )}
      </IdsField>
    </FormDialog>
  )
}
