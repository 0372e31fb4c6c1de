import { passwordLinks } from '@mainstay/contract/identity/password-links'
import { useState, type SyntheticEvent } from 'react'
import { call } from '../../api/call'
import { useT } from '../../i18n/use-t'
import { Button } from '../../ui/Button'
import { InfoIcon } from '../../ui/icons'
import { TextField } from '../../ui/fields/TextField'
import { Fault } from './Fault'
import { SignInCard } from './SignInCard'
import { useCredentials } from './use-credentials'
import css from './sign-in.module.css'

interface ForgottenPasswordProps {
  start: { username: string; domain: string }
  hasDomainField: boolean
  onBack: () => void
}

/** Requests a password link by email. The response does not reveal whether the user exists. */
export default function ForgottenPassword({ start, hasDomainField, onBack }: ForgottenPasswordProps) {
  const t = useT('account')
  const shell = useT('shell')
  const [username, setUsername] = useState(start.username)
  const [domain, setDomain] = useState(start.domain)
  const [isSent, setSent] = useState(false)
  const [isTried, setTried] = useState(false)
  const { fault, isBusy, isWaiting, submit } = useCredentials(shell, async () => {
    const name = domain.trim()
    await call(passwordLinks.forgotten, { body: { username: username.trim(), ...(name && { domain: name }) } })
    setSent(true)
  })
  return (
    <SignInCard title={t('forgotten.title')}>
      {isSent ? (
        <div className={css.notice} role="status">
          <InfoIcon />
          <span>{t('forgotten.sent')}</span>
        </div>
      ) : (
        <form
          className={css.form}
          noValidate
          onSubmit={(event: SyntheticEvent) => {
            event.preventDefault()
            setTried(true)
            if (username.trim() !== '') void submit()
          }}
        >
          <p>{t('forgotten.text')}</p>
          <Fault>{fault}</Fault>
          {hasDomainField && (
            <TextField
              label={shell('signIn.domain')}
              isOptional
              value={domain}
              onChange={setDomain}
              autoComplete="organization"
            />
          )}
          <TextField
            autoFocus
            label={shell('signIn.username')}
            value={username}
            onChange={setUsername}
            autoComplete="username"
            spellCheck="false"
            error={isTried && username.trim() === '' ? shell('signIn.usernameMissing') : undefined}
          />
          <Button variant="primary" type="submit" className={css.submit} isBusy={isBusy} isDisabled={isWaiting}>
            {t('forgotten.submit')}
          </Button>
        </form>
      )}
      <Button variant="plain" onPress={onBack}>
        {t('step.restart')}
      </Button>
    </SignInCard>
  )
}
