import { useEffect, useState, useRef } from 'react'
import type { IdentityProvider } from '@mainstay/contract/identity/hand-over'
import { partsOfSignIn } from '../../nav/sign-in-place'
import { fetchProviders } from '../../session/hand-over'
import { useSession } from '../../session/session'
import { PageSpinner } from '../PageSpinner'
import { SignInForm } from './SignInForm'
import { noticeOf, type SignInNotice } from './sign-in-notice'
import { useT } from '../../i18n/use-t'
import { ProviderButton } from './ProviderButton'
import { SignInCard } from './SignInCard'
import { SignInNoticeText } from './SignInNoticeText'
import { useProvider } from './use-provider'

interface ProviderSignInProps {
  place: string
  provider: IdentityProvider
  notice: SignInNotice | undefined
}

/**
 * A sign-in page for a single provider, which redirects there automatically. It does not redirect after a failure,
 * which could cause a redirect loop, or after a sign-out, because that would sign the user in again.
 */
function ProviderSignIn({ place, provider, notice }: ProviderSignInProps) {
  const t = useT('shell')
  const way = useProvider(place, provider.id)
  const isBegun = useRef(false)
  useEffect(() => {
    if (notice || isBegun.current) return
    isBegun.current = true
    void way.submit()
  })
  return (
    <SignInCard title={t('signIn.title')}>
      {notice && <SignInNoticeText notice={notice} />}
      <ProviderButton isMain provider={provider} way={way} />
    </SignInCard>
  )
}

export interface SignInProps {
  /** Path of the page within the console: `/login/DOMAIN/PROVIDER?redirectUrl=...`. */
  place: string
  onDone: () => void
}

/** The providers could not be loaded, so it is unknown whether this one exists. Password sign-in may still work. */
const notTold: SignInNotice = { kind: 'failed', reason: 'engine_unavailable', id: null }

/** The sign-in methods for a path: a single provider, or a password and the domain’s providers. */
export function SignIn({ place, onDone }: SignInProps) {
  const { domain, provider: wanted } = partsOfSignIn(place)
  const kept = useSession(({ domain: name }) => name)
  const [typed, setTyped] = useState(kept ?? '')
  const asked = domain ?? (typed || undefined)
  const [providers, setProviders] = useState<readonly IdentityProvider[] | null>()
  useEffect(() => {
    let isHere = true
    void fetchProviders(asked).then((found) => isHere && setProviders(found))
    return () => {
      isHere = false
    }
  }, [asked])

  const notice = noticeOf(new URL(place, 'http://console.invalid').searchParams)
  if (wanted !== undefined && providers === undefined) return <PageSpinner />
  const provider = providers?.find(({ id }) => id === wanted)
  if (provider) return <ProviderSignIn place={place} provider={provider} notice={notice} />
  return (
    <SignInForm
      place={place}
      domainInAddress={domain}
      onDomain={setTyped}
      providers={providers ?? []}
      notice={wanted === undefined ? notice : providers ? { kind: 'unknown-provider' } : notTold}
      onDone={onDone}
    />
  )
}
