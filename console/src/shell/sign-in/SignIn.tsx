import { useEffect, useState } from 'react'
import type { IdentityProvider } from '@mainstay/contract/identity/hand-over'
import { partsOfSignIn } from '../../nav/sign-in-place'
import { fetchProviders } from '../../session/hand-over'
import { PageSpinner } from '../PageSpinner'
import { ProviderSignIn } from './ProviderSignIn'
import { SignInForm } from './SignInForm'
import { noticeOf, type SignInNotice } from './sign-in-notice'

export interface SignInProps {
  /** The address of the page within the console: `/login/DOMAIN/PROVIDER?redirectUrl=...`. */
  place: string
  onDone: () => void
}

/** Nobody can say whether there is such a provider; the password may do. */
const notTold: SignInNotice = { kind: 'failed', reason: 'engine_unavailable', id: null }

/** Every way to sign in that the address leaves: one provider, or a password and the providers of the domain. */
export function SignIn({ place, onDone }: SignInProps) {
  const { domain, provider: wanted } = partsOfSignIn(place)
  const [providers, setProviders] = useState<readonly IdentityProvider[] | null>()
  useEffect(() => {
    let isHere = true
    void fetchProviders(domain).then((found) => isHere && setProviders(found))
    return () => {
      isHere = false
    }
  }, [domain])

  const notice = noticeOf(new URL(place, 'http://console.invalid').searchParams)
  if (wanted !== undefined && providers === undefined) return <PageSpinner />
  const provider = providers?.find(({ id }) => id === wanted)
  if (provider) return <ProviderSignIn place={place} provider={provider} notice={notice} />
  return (
    <SignInForm
      place={place}
      domainInAddress={domain}
      providers={providers ?? []}
      notice={wanted === undefined ? notice : providers ? { kind: 'unknown-provider' } : notTold}
      onDone={onDone}
    />
  )
}
