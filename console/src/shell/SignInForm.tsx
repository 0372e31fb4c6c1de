import { useRef, useState, type SyntheticEvent } from 'react'
import { useT } from '../i18n/use-t'
import { signIn } from '../session/sign-in'
import { useSession } from '../session/session'
import { Button } from '../ui/Button'
import { BadIcon } from '../ui/icons'
import { PasswordField } from '../ui/PasswordField'
import { TextField } from '../ui/TextField'
import { SignInCard } from './SignInCard'
import { useCredentials } from './use-credentials'
import css from './sign-in.module.css'

export interface SignInFormProps {
  /** The domain, where the address names it; there is no field for it then. */
  domainInAddress: string | undefined
  onDone: () => void
}

/** Sign-in by password. Knows no router and no cache: it is the first thing that everybody loads. */
export function SignInForm({ domainInAddress, onDone }: SignInFormProps) {
  const t = useT('shell')
  const isAdmin = useSession(({ panel }) => panel?.panel === 'admin')
  const keptDomain = useSession(({ domain: name }) => name)
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const [domain, setDomain] = useState(keptDomain ?? '')
  const [isTried, setTried] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const hasDomainField = !isAdmin && domainInAddress === undefined
  const domainName = domainInAddress ?? (hasDomainField ? domain.trim() : '')

  const { fault, isBusy, isWaiting, submit } = useCredentials(t, async () => {
    await signIn({ username: username.trim(), password, ...(domainName && { domain: domainName }) })
    onDone()
  })

  function onSubmit(event: SyntheticEvent) {
    event.preventDefault()
    setTried(true)
    if (username.trim() !== '' && password !== '') return void submit()
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
  }

  return (
    <SignInCard title={t('signIn.title')}>
      <form ref={form} className={css.form} onSubmit={onSubmit} noValidate>
        {fault && (
          <div className={css.problem} role="alert">
            <BadIcon />
            <span>{fault}</span>
          </div>
        )}
        {hasDomainField && (
          <TextField
            label={t('signIn.domain')}
            isOptional
            value={domain}
            onChange={setDomain}
            autoComplete="organization"
          />
        )}
        <TextField
          autoFocus
          label={t('signIn.username')}
          name="username"
          value={username}
          onChange={setUsername}
          autoComplete="username"
          spellCheck="false"
          error={isTried && username.trim() === '' ? t('signIn.usernameMissing') : undefined}
        />
        <PasswordField
          label={t('signIn.password')}
          name="password"
          value={password}
          onChange={setPassword}
          autoComplete="current-password"
          error={isTried && password === '' ? t('signIn.passwordMissing') : undefined}
        />
        <Button variant="primary" type="submit" className={css.submit} isBusy={isBusy} isDisabled={isWaiting}>
          {t('signIn.submit')}
        </Button>
      </form>
    </SignInCard>
  )
}
