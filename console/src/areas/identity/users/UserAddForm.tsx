import { projects } from '@mainstay/contract/identity/projects'
import type { ProjectRole } from '@mainstay/contract/identity/user-roles'
import { users } from '@mainstay/contract/identity/users'
import type * as z from 'zod'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { PasswordField } from '../../../patterns/form/PasswordField'
import { PasswordRules } from '../../../patterns/form/PasswordRules'
import { Select } from '../../../patterns/form/Select'
import { useWatched } from '../../../patterns/form/use-watched'
import { ProjectPicker } from '../../../pickers/ProjectPicker'
import { IdsField } from '../IdsField'
import { projectRoleItems } from '../user-words'
import { userResource } from './resource'
import { NameFields, NewUserForm, RoleFields, userOf, type FormRole } from './user-form'

const empty = {
  ...{ name: '', email: '', description: '', password: '', role: 'project_member' as const },
  ...{ image_upload: false, quota_manager: false, projects: [], project_role: 'project_member' as const },
}

/** `/users/add`: a user of the domain, with a password that the administrator hands over. */
export default function UserAddForm() {
  const t = useT('identity')
  const create = useCall(users.create, {
    refresh: [users.list, projects.list],
    done: ({ name }) => toast(t('users.added', { name })),
  })
  const send = ({ password, projects: ids, project_role, ...form }: z.output<typeof NewUserForm>) =>
    create.run({
      body: {
        ...userOf(form),
        password,
        assigned_projects: ids.map((project_id) => ({ project_id, role: project_role })),
      },
    })
  return (
    <FormDialog
      title={t('users.add')}
      verb={t('users.add')}
      schema={NewUserForm}
      start={empty}
      send={send}
      closeTo={userResource.paths.list()}
    >
      <NameFields isNew />
      <PasswordField name="password" label={t('users.password')} autoComplete="new-password" />
      <PasswordRules field="password" />
      <RoleFields />
      <Projects />
    </FormDialog>
  )
}

function Projects() {
  const t = useT('identity')
  const role = useWatched<FormRole>('role')
  const chosen = useWatched<string[]>('projects')
  if (role === 'domain_admin') return null
  return (
    <>
      <IdsField name="projects">{(choosing) => <ProjectPicker {...choosing} />}</IdsField>
      {chosen.length > 0 && (
        <Select<ProjectRole> name="project_role" label={t('users.roleIn')} items={projectRoleItems(t)} />
      )}
    </>
  )
}
