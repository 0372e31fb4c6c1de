import { isOfDirectory } from '@mainstay/contract/identity/directory-source'
import { DEFAULT_DOMAIN_ID } from '@mainstay/contract/identity/default-domain'
import { isBuiltIn, SERVICE_ACCOUNT } from '@mainstay/contract/identity/user-roles'
import { isFederated, userKind, users, type User } from '@mainstay/contract/identity/users'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useCloseTo, useParam } from '../../../nav/use-param'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { useIsAllTenants } from '../../../session/session'
import { Banner } from '../../../ui/feedback/Banner'
import { userResource } from './resource'
import { formRoleOf, NameFields, RoleFields, UserForm, userOf } from './user-form'

/** `/users/{id}/edit/{returnRoute?}`: edits a user. */
export default function UserEditForm() {
  const id = useParam('id')
  const { data } = useView(users.view, { id }, { kind: userKind })
  return data ? <EditForm user={data} /> : null
}

// names of federated users follow different rules and are managed by their provider
const FederatedForm = UserForm.omit({ name: true })

function EditForm({ user }: { user: User }) {
  const t = useT('identity')
  const patterns = useT('patterns')
  const { id, name, email, description, domain_permissions: may, system_permissions } = user
  const closeTo = useCloseTo(userResource.paths.list(), userResource.paths.view(id))
  const isOperator = useIsAllTenants()
  const operates = isOperator && user.domain_id === DEFAULT_DOMAIN_ID && !isBuiltIn(user)
  const save = useCall(users.update, {
    refresh: [users.list, users.view],
    done: (saved) => toast(t('users.saved', { name: saved.name })),
  })
  const isOfProvider = isFederated(user)
  return (
    <FormDialog
      title={t('users.editTitle', { name })}
      verb={patterns('save')}
      schema={isOfProvider ? (FederatedForm as unknown as typeof UserForm) : UserForm}
      start={{
        ...{ name, email: email ?? '', description },
        role: formRoleOf(user),
        system_permissions,
        image_upload: may.includes('image_upload'),
        quota_manager: may.includes('quota_manager'),
      }}
      send={(form) => {
        const { name: wanted, email: address, ...rest } = userOf(form, { operates, before: user })
        return save.run({ params: { id }, body: isOfProvider ? rest : { name: wanted, email: address, ...rest } })
      }}
      closeTo={closeTo}
    >
      {isOfDirectory(user) && <Banner tone="busy">{t('users.ofDirectory')}</Banner>}
      {!isOfProvider && <NameFields isNew={false} />}
      {!isBuiltIn(user) && user.role !== SERVICE_ACCOUNT && <RoleFields operates={operates} />}
    </FormDialog>
  )
}
