import { Description } from '@mainstay/contract/core/names'
import type { Group } from '@mainstay/contract/identity/groups'
import { TenancyName } from '@mainstay/contract/identity/tenancy-names'
import {
  projectRoles,
  shownSystemPermissions,
  systemPermissions,
  type DomainPermission,
} from '@mainstay/contract/identity/user-roles'
import * as z from 'zod'
import { useT } from '../../../i18n/use-t'
import { Checkbox as BoundCheckbox, RadioCards, TextField } from '../../../patterns/form/form-fields'
import { useBound } from '../../../patterns/form/use-bound'
import { useWatched } from '../../../patterns/form/use-watched'
import { Checkbox } from '../../../ui/fields/Checkbox'
import css from '../users/SystemPermissionsField.module.css'

const roles = ['project_member', 'domain_admin'] as const
export type GroupRole = (typeof roles)[number]

/** Fields that every group has. */
export const GroupForm = z.object({
  name: TenancyName,
  description: Description,
  role: z.enum(roles),
  image_upload: z.boolean(),
  quota_manager: z.boolean(),
  system_permissions: z.array(z.enum(systemPermissions)),
})

/** Fields for a new group, which can be assigned to projects at the same time. */
export const NewGroupForm = GroupForm.extend({ projects: z.array(z.string()), project_role: z.enum(projectRoles) })

/** Initial form values when editing a group. */
export const startOf = ({ name, description, domain_permissions: may, system_permissions }: Group) => ({
  ...{ name, description, system_permissions },
  role: may.includes('domain_admin') ? ('domain_admin' as const) : ('project_member' as const),
  image_upload: may.includes('image_upload'),
  quota_manager: may.includes('quota_manager'),
})

/** Converts form values to an API request body. */
export function groupOf({ role, image_upload, quota_manager, ...rest }: z.output<typeof GroupForm>) {
  const domain_permissions: DomainPermission[] = [
    ...(role === 'domain_admin' ? (['domain_admin'] as const) : []),
    ...(image_upload ? (['image_upload'] as const) : []),
    ...(quota_manager ? (['quota_manager'] as const) : []),
  ]
  return { ...rest, domain_permissions }
}

/** Form fields for a group. `operates`: whether the user may set system permissions. */
export function GroupFields({
  isNew,
  operates,
  hasName = true,
}: {
  isNew: boolean
  operates: boolean
  hasName?: boolean
}) {
  const t = useT('identity')
  const role = useWatched<GroupRole>('role')
  return (
    <>
      {hasName && <TextField name="name" label={t('groups.name')} autoFocus={isNew} />}
      <TextField name="description" label={t('groups.description')} isOptional />
      <RadioCards<GroupRole>
        name="role"
        label={t('groups.role')}
        items={roles.map((id) => ({ id, label: t(`users.role.${id}`), description: t(`users.roleHelp.${id}`) }))}
      />
      {role === 'project_member' && (
        <>
          <BoundCheckbox name="image_upload" help={t('users.imageUploadHelp')}>
            {t('users.imageUpload')}
          </BoundCheckbox>
          <BoundCheckbox name="quota_manager" help={t('users.quotaManagerHelp')}>
            {t('users.quotaManager')}
          </BoundCheckbox>
        </>
      )}
      {operates && <SystemPermissions />}
    </>
  )
}

/** System permissions granted to the members. Permissions that the form does not show are preserved. */
function SystemPermissions() {
  const t = useT('identity')
  const { value, onChange, isDisabled } = useBound<string[]>('system_permissions')
  return (
    <fieldset className={css.group}>
      <legend className={css.legend}>{t('users.systemPermissions')}</legend>
      {shownSystemPermissions.map((it) => (
        <Checkbox
          key={it}
          isSelected={value.includes(it)}
          isDisabled={isDisabled}
          onChange={(isWanted) => onChange(isWanted ? [...value, it] : value.filter((other) => other !== it))}
        >
          {t(`users.system.${it}`)}
        </Checkbox>
      ))}
    </fieldset>
  )
}
