import { projects } from '@mainstay/contract/identity/projects'
import { projectRoles, type ProjectRole } from '@mainstay/contract/identity/user-roles'
import { userKind, users, type User } from '@mainstay/contract/identity/users'
import * as z from 'zod'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { textsNow, useT } from '../../../i18n/use-t'
import { useParam } from '../../../nav/use-param'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { Select } from '../../../patterns/form/Select'
import { ProjectPicker } from '../../../pickers/ProjectPicker'
import { IdsField } from '../IdsField'
import { projectRoleItems } from '../user-words'
import { userResource } from './resource'

const Assignment = z.object({
  projects: z.array(z.string()).min(1, { error: () => textsNow('identity')('users.choose') }),
  role: z.enum(projectRoles),
})

/** `/users/{id}/assign`: further projects of a user, with one role in all of them. */
export default function UserAssignForm() {
  const id = useParam('id')
  const { data } = useView(users.view, { id }, { kind: userKind })
  return data ? <AssignForm user={data} /> : null
}

function AssignForm({ user: { id, name, domain_id, assigned_projects: assigned } }: { user: User }) {
  const t = useT('identity')
  const save = useCall(users.update, { refresh: [users.list, users.view, projects.list] })
  async function send({ projects: ids, role }: z.output<typeof Assignment>) {
    const assigned_projects = ids.map((project_id) => ({ project_id, role }))
    await save.run({ params: { id }, body: { assigned_projects } })
    toast(t('users.assigned', { name, count: ids.length }))
  }
  return (
    <FormDialog
      title={t('users.assignTitle', { name })}
      verb={t('users.assign')}
      schema={Assignment}
      start={{ projects: [], role: 'project_member' }}
      send={send}
      closeTo={userResource.paths.below(id, 'projects')}
    >
      <Select<ProjectRole> name="role" label={t('users.roleIn')} items={projectRoleItems(t)} />
      <IdsField name="projects">
        {(choosing) => (
          <ProjectPicker
            {...choosing}
            domainId={domain_id}
            disabledBecause={(project) =>
              assigned.some((it) => it.project_id === project.id) ? t('users.wasAssigned') : undefined
            }
          />
        )}
      </IdsField>
    </FormDialog>
  )
}
