import { DEFAULT_DOMAIN_ID } from '@mainstay/contract/identity/domains'
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
import { DomainChoice } from '../../../pickers/DomainChoice'
import { ProjectPicker } from '../../../pickers/ProjectPicker'
import { IdsField } from '../IdsField'
import { InDomain, useDomainOfForm } from '../in-domain'
import { projectRoleItems } from '../user-words'
import { userResource } from './resource'
import { NameFields, NewUserForm, RoleFields, userOf, type FormRole } from './user-form'

const empty = {
  ...{ name: '', email: '', description: '', password: '', role: 'project_member' as const },
  ...{
    image_upload: false,
    quota_manager: false,
    system_permissions: [],
    projects: [],
    project_role: 'project_member' as const,
  },
}

const Form = NewUserForm.safeExtend(InDomain.shape)

/** `/users/add`: a user of the domain, with a password that the administrator hands over. */
export default function UserAddForm() {
  const t = useT('identity')
  const create = useCall(users.create, {
    refresh: [users.list, projects.list],
    done: ({ name }) => toast(t('users.added', { name })),
  })
  const { isAsked, start } = useDomainOfForm()
  const send = ({ domain_id, password, projects: ids, project_role, ...form }: z.output<typeof Form>) =>
    create.run({
      params: { domain_id: domain_id! },
      body: {
        ...userOf(form, { operates: isAsked && domain_id === DEFAULT_DOMAIN_ID }),
        password,
        assigned_projects: ids.map((project_id) => ({ project_id, role: project_role })),
      },
    })
  return (
    <FormDialog
      title={t('users.add')}
      verb={t('users.add')}
      schema={Form}
      start={{ ...empty, ...start }}
      send={send}
      closeTo={userResource.paths.list()}
    >
      {isAsked && <DomainChoice name="domain_id" />}
      <NameFields isNew />
      <PasswordField name="password" label={t('users.password')} autoComplete="new-password" />
      <PasswordRules field="password" />
      <Role isAsked={isAsked} />
      <Projects />
    </FormDialog>
  )
}

/** System permissions are given to users of the default domain alone. */
function Role({ isAsked }: { isAsked: boolean }) {
  const domainId = useWatched<string | null>('domain_id')
  return <RoleFields operates={isAsked && domainId === DEFAULT_DOMAIN_ID} />
}

function Projects() {
  const t = useT('identity')
  const role = useWatched<FormRole>('role')
  const chosen = useWatched<string[]>('projects')
  const domainId = useWatched<string | null>('domain_id')
  if (role !== 'project_member' || domainId === null) return null
  return (
    <>
      <IdsField name="projects">{(choosing) => <ProjectPicker {...choosing} domainId={domainId} />}</IdsField>
      {chosen.length > 0 && (
        <Select<ProjectRole> name="project_role" label={t('users.roleIn')} items={projectRoleItems(t)} />
      )}
    </>
  )
}
