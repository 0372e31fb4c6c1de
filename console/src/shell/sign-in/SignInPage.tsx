import { useLocation, useNavigate } from '@tanstack/react-router'
import { addressText } from '../../nav/guard'
import { safeRedirect } from '../../nav/redirect-url'
import { useSearchParam } from '../../nav/use-param'
import { SignIn } from './SignIn'

/** Sign-in after the console was loaded already: after signing out, mostly. */
export default function SignInPage() {
  const navigate = useNavigate()
  const redirectUrl = useSearchParam('redirectUrl')
  const place = addressText(useLocation())
  return (
    <SignIn
      key={place}
      place={place}
      onDone={() => void navigate({ href: safeRedirect(redirectUrl) ?? '/', replace: true })}
    />
  )
}
