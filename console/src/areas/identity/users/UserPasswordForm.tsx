import { NewPassword } from '@mainstay/contract/identity/password-rules'
import { SERVICE_ACCOUNT } from '@mainstay/contract/identity/user-roles'
import { userKind, users } from '@mainstay/contract/identity/users'
import * as z from 'zod'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useParam } from '../../../nav/use-param'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { userResource } from './resource'
import { TypedPassword } from './TypedPassword'
import { useHasLinks } from './use-has-links'

const Password = z.object({ password: NewPassword, must_change_password: z.boolean() })

/** `/users/{id}/password`: sets a new password for a user who has lost their password. */
export default function UserPasswordForm() {
  const t = useT('identity')
  const id = useParam('id')
  const hasLinks = useHasLinks()
  const { data } = useView(users.view, { id }, { kind: userKind })
  const save = useCall(users.update, { done: ({ name }) => toast(t('users.passwordGiven', { name })) })
  if (!data) return null
  return (
    <FormDialog
      place="middle"
      title={t('users.passwordTitle', { name: data.name })}
      verb={t('users.setPassword')}
      schema={Password}
      start={{ password: '', must_change_password: hasLinks && data.role !== SERVICE_ACCOUNT }}
      send={(body) => save.run({ params: { id }, body })}
      closeTo={userResource.paths.view(id)}
    >
      <p>{t('users.passwordHelp')}</p>
      <TypedPassword autoFocus isOfProgram={data.role === SERVICE_ACCOUNT} />
    </FormDialog>
  )
}
