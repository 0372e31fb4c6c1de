import { DEFAULT_DOMAIN_ID } from '@mainstay/contract/identity/default-domain'
import { projects } from '@mainstay/contract/identity/projects'
import { SERVICE_ACCOUNT, type ProjectRole } from '@mainstay/contract/identity/user-roles'
import { users } from '@mainstay/contract/identity/users'
import { NewPassword } from '@mainstay/contract/identity/password-rules'
import type * as z from 'zod'
import { useCall } from '../../../api/use-call'
import { textsNow, useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { RadioCards, Select } from '../../../patterns/form/form-fields'
import { useWatched } from '../../../patterns/form/use-watched'
import { DomainChoice } from '../../../pickers/DomainChoice'
import { ProjectPicker } from '../../../pickers/ProjectPicker'
import { IdsField } from '../IdsField'
import { InDomain, useDomainOfForm } from '../in-domain'
import { projectRoleItems } from '../user-words'
import { userResource } from './resource'
import { TypedPassword } from './TypedPassword'
import { useHasLinks } from './use-has-links'
import { NameFields, NewUserForm, RoleFields, userOf, type FormRole } from './user-form'

const ways = ['link', 'password'] as const

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

const Form = NewUserForm.safeExtend(InDomain.shape).superRefine((form, { addIssue }) => {
  const { access, password, role, projects: ids } = form
  if (role === SERVICE_ACCOUNT && ids.length === 0)
    addIssue({ code: 'custom', path: ['projects'], message: textsNow('identity')('users.choose') })
  if (access === 'link') return
  for (const { message } of NewPassword.safeParse(password).error?.issues ?? [])
    addIssue({ code: 'custom', path: ['password'], message })
})

/** `/users/add`: creates a user with a password link or an initial password, or a service account with tokens. */
export default function UserAddForm() {
  const t = useT('identity')
  const create = useCall(users.create, {
    refresh: [users.list, projects.list],
    done: ({ name }) => toast(t('users.added', { name })),
  })
  const { isAsked, start } = useDomainOfForm()
  const hasLinks = useHasLinks()
  const access: (typeof ways)[number] = hasLinks ? 'link' : 'password'
  const go = useAppNavigate()
  const send = async (values: z.output<typeof Form>) => {
    const { domain_id, access, password, must_change_password, projects: ids, project_role, ...form } = values
    const isService = form.role === SERVICE_ACCOUNT
    const { id } = await create.run({
      params: { domain_id: domain_id! },
      body: {
        ...userOf(form, { operates: isAsked && domain_id === DEFAULT_DOMAIN_ID }),
        ...(access === 'password' && { password, must_change_password: must_change_password && !isService }),
        assigned_projects: ids.map((project_id) => ({ project_id, role: isService ? SERVICE_ACCOUNT : project_role })),
      },
    })
    if (access === 'password') return userResource.paths.list()
    return userResource.paths.below(id, isService ? 'tokens' : 'link')
  }
  return (
    <FormDialog
      title={t('users.add')}
      verb={t('users.add')}
      schema={Form}
      start={{ ...empty, access, must_change_password: hasLinks, ...start }}
      send={send}
      closeTo={userResource.paths.list()}
      done={(place) => go(place, { keepsSearch: true, replace: true })}
    >
      {isAsked && <DomainChoice name="domain_id" />}
      <NameFields isNew />
      <Role isAsked={isAsked} />
      <Access />
      <Projects />
    </FormDialog>
  )
}

/**
 * Chooses how the user signs in at first: with a link or an initial password. Service accounts use only tokens, or also
 * a password.
 */
function Access() {
  const t = useT('identity')
  const access = useWatched<(typeof ways)[number]>('access')
  const isService = useWatched<FormRole>('role') === SERVICE_ACCOUNT
  const hasLinks = useHasLinks()
  if (!hasLinks) return <TypedPassword isOfProgram={isService} />
  const words = isService ? 'users.accessOfService' : 'users.access'
  const help = isService ? 'users.accessOfServiceHelp' : 'users.accessHelp'
  return (
    <>
      <RadioCards
        name="access"
        label={t(words)}
        items={ways.map((id) => ({ id, label: t(`${words}.${id}`), description: t(`${help}.${id}`) }))}
      />
      {access === 'password' && <TypedPassword isOfProgram={isService} />}
    </>
  )
}

/** System permissions are available only for users in the default domain. */
function Role({ isAsked }: { isAsked: boolean }) {
  const domainId = useWatched<string | null>('domain_id')
  return <RoleFields isNew operates={isAsked && domainId === DEFAULT_DOMAIN_ID} />
}

function Projects() {
  const t = useT('identity')
  const role = useWatched<FormRole>('role')
  const chosen = useWatched<string[]>('projects')
  const domainId = useWatched<string | null>('domain_id')
  const isService = role === SERVICE_ACCOUNT
  if ((role !== 'project_member' && !isService) || domainId === null) return null
  return (
    <>
      <IdsField name="projects" label={t('users.projects')}>
        {(choosing) => <ProjectPicker {...choosing} domainId={domainId} />}
      </IdsField>
      {chosen.length > 0 && !isService && (
        <Select<ProjectRole> name="project_role" label={t('users.roleIn')} items={projectRoleItems(t)} />
      )}
    </>
  )
}
