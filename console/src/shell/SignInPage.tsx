import { useNavigate, useSearch } from '@tanstack/react-router'
import { safeRedirect } from '../nav/redirect-url'
import { useOptionalParam } from '../nav/use-param'
import { SignInForm } from './SignInForm'

/** Sign-in after the console was loaded already: after signing out, mostly. */
export default function SignInPage() {
  const navigate = useNavigate()
  const { redirectUrl } = useSearch({ strict: false }) as unknown as { redirectUrl?: string }
  const domainInAddress = useOptionalParam('domainName')
  return (
    <SignInForm
      domainInAddress={domainInAddress}
      onDone={() => void navigate({ href: safeRedirect(redirectUrl) ?? '/', replace: true })}
    />
  )
}
