import { Description } from '@mainstay/contract/core/names'
import { LoginName } from '@mainstay/contract/identity/tenancy-names'
import {
  projectRoles,
  SERVICE_ACCOUNT,
  shownSystemPermissions,
  systemPermissions,
  type DomainPermission,
  type SystemPermission,
} from '@mainstay/contract/identity/user-roles'
import { Email, type User } from '@mainstay/contract/identity/users'
import * as z from 'zod'
import { useT } from '../../../i18n/use-t'
import { Checkbox, RadioCards, TextField } from '../../../patterns/form/form-fields'
import { SystemPermissionsField } from './SystemPermissionsField'
import { useWatched } from '../../../patterns/form/use-watched'

const ofDomain = ['project_member', 'domain_admin', SERVICE_ACCOUNT] as const
/** Roles for users in the default domain. Only system administrators can assign them. */
const ofSystem = ['system_admin', 'viewer', 'custom'] as const
export type FormRole = (typeof ofDomain)[number] | (typeof ofSystem)[number]

/** Fields that every user has. */
export const UserForm = z.object({
  name: LoginName,
  email: z.union([z.literal(''), Email]),
  description: Description,
  role: z.enum([...ofDomain, ...ofSystem]),
  /** Used if the role is `custom`. */
  system_permissions: z.array(z.enum(systemPermissions)),
  image_upload: z.boolean(),
  quota_manager: z.boolean(),
})
export type UserForm = z.output<typeof UserForm>

/** Fields for a new user, which also include projects and either a link or a password. */
export const NewUserForm = UserForm.extend({
  access: z.enum(['link', 'password']),
  /** Initial password; used only if `access` is `password`. */
  password: z.string(),
  must_change_password: z.boolean(),
  projects: z.array(z.string()),
  project_role: z.enum(projectRoles),
})

/** The role that is initially selected when an existing user is edited. */
export function formRoleOf({ role, domain_permissions }: User): FormRole {
  const known = [...ofSystem, SERVICE_ACCOUNT].find((it) => it === role) as FormRole | undefined
  return known ?? (domain_permissions.includes('domain_admin') ? 'domain_admin' : 'project_member')
}

/** System permissions for the selected role. Permissions that the form does not show are preserved. */
function systemPermissionsOf({ role, system_permissions }: UserForm, before: User | undefined): SystemPermission[] {
  const isShown = (it: SystemPermission) => shownSystemPermissions.some((shown) => shown === it)
  const kept = before?.system_permissions.filter((it) => !isShown(it)) ?? []
  if (role === 'system_admin') return ['admin', ...kept]
  if (role === 'viewer') return ['viewer', ...kept]
  return role === 'custom' ? [...system_permissions.filter(isShown), ...kept] : kept
}

/**
 * Converts form values to an API request body. `operates`: whether to set system permissions. `before`: the user being
 * edited.
 */
export function userOf(form: UserForm, { operates, before }: { operates: boolean; before?: User }) {
  const { name, email, description, role, image_upload, quota_manager } = form
  const isService = role === SERVICE_ACCOUNT
  const domain_permissions: DomainPermission[] = [
    ...(role === 'domain_admin' ? (['domain_admin'] as const) : []),
    ...(image_upload && !isService ? (['image_upload'] as const) : []),
    ...(quota_manager && !isService ? (['quota_manager'] as const) : []),
  ]
  return {
    ...{ name, email: email === '' ? null : email, description, domain_permissions },
    ...(operates && { system_permissions: systemPermissionsOf(form, before) }),
  }
}

export function NameFields({ isNew }: { isNew: boolean }) {
  const t = useT('identity')
  return (
    <>
      <TextField name="name" label={t('users.login')} help={t('users.loginHelp')} autoFocus={isNew} />
      <TextField name="email" label={t('users.email')} type="email" isOptional />
      <TextField name="description" label={t('users.description')} isOptional />
    </>
  )
}

/**
 * Fields for a user's role and permissions. Domain administrators have no additional permission fields. `operates`:
 * whether system roles can be assigned. Only new users can be created as service accounts.
 */
export function RoleFields({ operates, isNew = false }: { operates: boolean; isNew?: boolean }) {
  const t = useT('identity')
  const role = useWatched<FormRole>('role')
  const ofPeople = ofDomain.filter((it) => isNew || it !== SERVICE_ACCOUNT)
  const roles: FormRole[] = operates ? [...ofSystem, ...ofPeople] : ofPeople
  return (
    <>
      <RadioCards<FormRole>
        name="role"
        label={t('users.role')}
        items={roles.map((id) => ({ id, label: t(`users.role.${id}`), description: t(`users.roleHelp.${id}`) }))}
      />
      {role === 'custom' && <SystemPermissionsField />}
      {role === 'project_member' && (
        <>
          <Checkbox name="image_upload" help={t('users.imageUploadHelp')}>
            {t('users.imageUpload')}
          </Checkbox>
          <Checkbox name="quota_manager" help={t('users.quotaManagerHelp')}>
            {t('users.quotaManager')}
          </Checkbox>
        </>
      )}
    </>
  )
}
