import { useLocation, useNavigate } from '@tanstack/react-router'
import { addressText } from '../../nav/guard'
import { safeRedirect } from '../../nav/redirect-url'
import { useSearchParam } from '../../nav/use-param'
import { SignIn } from './SignIn'

/** Sign-in page within the loaded console, usually after signing out. */
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
