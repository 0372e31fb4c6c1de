import { ChangePassword, session } from '@mainstay/contract/identity/session'
import { useCall } from '../../api/use-call'
import { useT } from '../../i18n/use-t'
import { toast } from '../../notices/notices'
import { FormDialog } from '../form/FormDialog'
import { PasswordField } from '../form/PasswordField'
import { PasswordRules } from '../form/PasswordRules'

const empty = { current_password: '', new_password: '', confirm_password: '' }

/** Changes the user's own password and ends their other sessions. */
export default function ChangePasswordDialog({ onClose }: { onClose: () => void }) {
  const t = useT('shell')
  const change = useCall(session.changePassword, { done: () => toast(t('password.done')) })
  return (
    <FormDialog
      place="middle"
      title={t('password.change')}
      verb={t('password.change')}
      schema={ChangePassword}
      start={empty}
      send={(body) => change.run({ body })}
      onClose={onClose}
    >
      <PasswordField name="current_password" label={t('password.current')} autoComplete="current-password" autoFocus />
      <PasswordField
        name="new_password"
        label={t('password.new')}
        autoComplete="new-password"
        checks="confirm_password"
      />
      <PasswordRules field="new_password" />
      <PasswordField name="confirm_password" label={t('password.confirm')} autoComplete="new-password" />
    </FormDialog>
  )
}
