import { useState, type SyntheticEvent } from 'react'
import { useT } from '../i18n/use-t'
import { signInAgain } from '../session/sign-in'
import { useSession } from '../session/session'
import { signOut } from '../session/sign-out'
import { Button } from '../ui/Button'
import { Dialog } from '../ui/Dialog'
import { BadIcon } from '../ui/icons'
import { PasswordField } from '../ui/PasswordField'
import { TextField } from '../ui/TextField'
import { useCredentials } from './use-credentials'
import css from './sign-in.module.css'

/** Over the page when the session has ended: what is half done on the page stays (wishes W2). */
export default function SignInAgain() {
  const t = useT('shell')
  const user = useSession((session) => session.user)
  const [password, setPassword] = useState('')
  const { fault, isBusy, isWaiting, submit } = useCredentials(t, () => signInAgain(password))
  return (
    // there is nothing behind it that would work, so it cannot be closed
    <Dialog isOpen isFirm hasNoCross title={t('relogin.title')} onClose={() => {}}>
      <form
        className={css.form}
        noValidate
        onSubmit={(event: SyntheticEvent) => {
          event.preventDefault()
          if (password !== '') void submit()
        }}
      >
        <p>{t('relogin.text')}</p>
        {fault && (
          <div className={css.problem} role="alert">
            <BadIcon />
            <span>{fault}</span>
          </div>
        )}
        <TextField label={t('signIn.username')} value={user?.name ?? ''} isReadOnly autoComplete="username" />
        <PasswordField
          autoFocus
          label={t('signIn.password')}
          value={password}
          onChange={setPassword}
          autoComplete="current-password"
        />
        <Button variant="primary" type="submit" className={css.submit} isBusy={isBusy} isDisabled={isWaiting}>
          {t('signIn.submit')}
        </Button>
        <Button variant="plain" onPress={() => void signOut()}>
          {t('relogin.other')}
        </Button>
      </form>
    </Dialog>
  )
}
