import { useEffect, useRef } from 'react'
import type { IdentityProvider } from '@mainstay/contract/identity/hand-over'
import { useT } from '../../i18n/use-t'
import { ProviderButton } from './ProviderButton'
import { SignInCard } from './SignInCard'
import type { SignInNotice } from './sign-in-notice'
import { SignInNoticeText } from './SignInNoticeText'
import { useProvider } from './use-provider'

export interface ProviderSignInProps {
  place: string
  provider: IdentityProvider
  notice: SignInNotice | undefined
}

/**
 * The page of one provider goes there by itself. Not after a failure, which would come again and again, and not after
 * signing out, which would sign in again.
 */
export function ProviderSignIn({ place, provider, notice }: ProviderSignInProps) {
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
