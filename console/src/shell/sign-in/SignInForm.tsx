import { lazy, Suspense, useEffect, useRef, useState, type SyntheticEvent } from 'react'
import type { IdentityProvider } from '@mainstay/contract/identity/hand-over'
import type { CurrentUser } from '@mainstay/contract/identity/session'
import { passwordLinks } from '@mainstay/contract/identity/password-links'
import { call } from '../../api/call'
import { useT } from '../../i18n/use-t'
import { enterBy, signIn } from '../../session/sign-in'
import { useSession } from '../../session/session'
import { Button } from '../../ui/Button'
import { PasswordField } from '../../ui/fields/PasswordField'
import { TextField } from '../../ui/fields/TextField'
import { Fault } from './Fault'
import { ProviderButton } from './ProviderButton'
import { SignInCard } from './SignInCard'
import type { SignInNotice } from './sign-in-notice'
import { SignInNoticeText } from './SignInNoticeText'
import { useHasPasskeys } from './use-has-passkeys'
import { useNextStep, useSteppedCredentials } from './use-next-step'
import { useProvider } from './use-provider'
import css from './sign-in.module.css'

// these parts are loaded only when needed
const SignInStep = lazy(() => import('./SignInStep'))
const ForgottenPassword = lazy(() => import('./ForgottenPassword'))
const PasskeySignIn = lazy(() => import('./PasskeySignIn'))

export interface SignInFormProps {
  /** Path of the page within the console. */
  place: string
  /** The domain in the path, which replaces the domain field. */
  domainInAddress: string | undefined
  /** Called when the user enters a domain, because its providers may differ. */
  onDomain: (domain: string) => void
  providers: readonly IdentityProvider[]
  notice: SignInNotice | undefined
  onDone: () => void
}

function OneProvider({ place, domain, provider }: { place: string; domain: string; provider: IdentityProvider }) {
  return <ProviderButton provider={provider} way={useProvider(place, provider.id, domain)} />
}

/**
 * Sign-in with a password or another method. Does not import the router or the cache, because this is the first code
 * that every user loads.
 */
export function SignInForm({ place, domainInAddress, onDomain, providers, notice, onDone }: SignInFormProps) {
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

  const [mailsLinks, setMailsLinks] = useState(false)
  const hasPasskeys = useHasPasskeys()
  const [hasForgotten, setForgotten] = useState(false)
  const [step, setStep] = useNextStep()

  const { fault, isBusy, isWaiting, submit } = useSteppedCredentials(
    t,
    async () => {
      await signIn({ username: username.trim(), password, ...(domainName && { domain: domainName }) })
      onDone()
    },
    setStep,
  )

  useEffect(() => {
    // password links are not offered if the request fails
    call(passwordLinks.way, {}).then(
      ({ is_mailed }) => setMailsLinks(is_mailed),
      () => undefined,
    )
  }, [])

  function onSubmit(event: SyntheticEvent) {
    event.preventDefault()
    setTried(true)
    if (username.trim() !== '' && password !== '') return void submit()
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
  }

  async function enter(proven: () => Promise<CurrentUser>) {
    await enterBy(proven, domainName || null)
    onDone()
  }

  if (step)
    return (
      <SignInCard title={t('signIn.title')}>
        <Suspense fallback={null}>
          <SignInStep step={step} onNext={setStep} enter={enter} />
        </Suspense>
      </SignInCard>
    )
  if (hasForgotten)
    return (
      <Suspense fallback={null}>
        <ForgottenPassword
          start={{ username, domain: domainName }}
          hasDomainField={hasDomainField}
          onBack={() => setForgotten(false)}
        />
      </Suspense>
    )
  return (
    <SignInCard title={t('signIn.title')}>
      <form ref={form} className={css.form} onSubmit={onSubmit} noValidate>
        {notice && !fault && <SignInNoticeText notice={notice} />}
        <Fault>{fault}</Fault>
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
        {hasDomainField && (
          <TextField
            label={t('signIn.domain')}
            help={fault && t('signIn.domainHelp')}
            isOptional
            value={domain}
            onChange={setDomain}
            onBlur={() => onDomain(domain.trim())}
            autoComplete="organization"
          />
        )}
        <Button variant="primary" type="submit" className={css.submit} isBusy={isBusy} isDisabled={isWaiting}>
          {t('signIn.submit')}
        </Button>
      </form>
      {mailsLinks && (
        <Button variant="plain" onPress={() => setForgotten(true)}>
          {t('signIn.forgotten')}
        </Button>
      )}
      {(providers.length > 0 || hasPasskeys) && (
        <div className={css.providers}>
          <p className={css.or}>{t('signIn.or')}</p>
          {hasPasskeys && (
            <Suspense fallback={null}>
              <PasskeySignIn enter={enter} onNext={setStep} />
            </Suspense>
          )}
          {providers.map((provider) => (
            <OneProvider key={provider.id} place={place} domain={domainName} provider={provider} />
          ))}
        </div>
      )}
    </SignInCard>
  )
}
