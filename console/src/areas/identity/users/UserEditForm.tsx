import { isFederated, userKind, users, type User } from '@mainstay/contract/identity/users'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useParam } from '../../../nav/use-param'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { userResource } from './resource'
import { NameFields, RoleFields, UserForm, userOf } from './user-form'

/** `/users/{id}/edit` */
export default function UserEditForm() {
  const id = useParam('id')
  const { data } = useView(users.view, { id }, { kind: userKind })
  return data ? <EditForm user={data} /> : null
}

// names of people whom a provider vouches for have other rules, and are kept there
const FederatedForm = UserForm.omit({ name: true })

function EditForm({ user }: { user: User }) {
  const t = useT('identity')
  const patterns = useT('patterns')
  const { id, name, email, description, domain_permissions: may } = user
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
        role: may.includes('domain_admin') ? 'domain_admin' : 'project_member',
        image_upload: may.includes('image_upload'),
        quota_manager: may.includes('quota_manager'),
      }}
      send={(form) => {
        const { name: wanted, ...rest } = userOf(form)
        return save.run({ params: { id }, body: isOfProvider ? rest : { name: wanted, ...rest } })
      }}
      closeTo={userResource.paths.view(id)}
    >
      {!isOfProvider && <NameFields isNew={false} />}
      <RoleFields />
    </FormDialog>
  )
}
