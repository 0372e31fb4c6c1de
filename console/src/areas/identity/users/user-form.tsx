import { Description } from '@mainstay/contract/core/names'
import { NewPassword } from '@mainstay/contract/identity/password-rules'
import { LoginName } from '@mainstay/contract/identity/tenancy-names'
import { projectRoles, type DomainPermission } from '@mainstay/contract/identity/user-roles'
import { Email } from '@mainstay/contract/identity/users'
import * as z from 'zod'
import { useT } from '../../../i18n/use-t'
import { Checkbox } from '../../../patterns/form/Checkbox'
import { RadioCards } from '../../../patterns/form/RadioCards'
import { TextField } from '../../../patterns/form/TextField'
import { useWatched } from '../../../patterns/form/use-watched'

const roles = ['project_member', 'domain_admin'] as const
export type FormRole = (typeof roles)[number]

/** What is asked of every user, as the form asks it. */
export const UserForm = z.object({
  name: LoginName,
  email: z.union([z.literal(''), Email]),
  description: Description,
  role: z.enum(roles),
  image_upload: z.boolean(),
  /** Kept as it is: there is nothing to set quotas with yet. */
  quota_manager: z.boolean(),
})
export type UserForm = z.output<typeof UserForm>

/** A new user has a password and projects besides. */
export const NewUserForm = UserForm.extend({
  password: NewPassword,
  projects: z.array(z.string()),
  project_role: z.enum(projectRoles),
})

/** What the form has for a call. */
export function userOf({ name, email, description, role, image_upload, quota_manager }: UserForm) {
  const domain_permissions: DomainPermission[] = [
    ...(role === 'domain_admin' ? (['domain_admin'] as const) : []),
    ...(image_upload ? (['image_upload'] as const) : []),
    ...(quota_manager ? (['quota_manager'] as const) : []),
  ]
  return { name, email: email === '' ? null : email, description, domain_permissions }
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

/** What the user may do. Who administers the domain may do the rest by it. */
export function RoleFields() {
  const t = useT('identity')
  const role = useWatched<FormRole>('role')
  return (
    <>
      <RadioCards<FormRole>
        name="role"
        label={t('users.role')}
        items={roles.map((id) => ({ id, label: t(`users.role.${id}`), description: t(`users.roleHelp.${id}`) }))}
      />
      {role === 'project_member' && (
        <Checkbox name="image_upload" help={t('users.imageUploadHelp')}>
          {t('users.imageUpload')}
        </Checkbox>
      )}
    </>
  )
}
