import { useEffect, useRef } from 'react'
import { paths } from '../../nav/paths'
import { safeRedirect } from '../../nav/redirect-url'
import { isSignInPlace } from '../../nav/sign-in-place'
import { useAppNavigate } from '../../nav/use-app-navigate'
import { useSearchParam } from '../../nav/use-param'
import { forgetRedirects, readRedirects } from '../../session/redirect-memory'
import { PageSpinner } from '../PageSpinner'

/**
 * The server redirects here after a failed sign-in at an identity provider. Returns to the original sign-in page with
 * the reason.
 */
export default function HandOverFailedPage() {
  const go = useAppNavigate()
  const isBegun = useRef(false)
  const [reason, id] = [useSearchParam('reason'), useSearchParam('id')]
  useEffect(() => {
    // the stored redirects can be used only once
    if (isBegun.current) return
    isBegun.current = true
    const memory = readRedirects()
    forgetRedirects()
    const redirectUrl = safeRedirect(memory?.successRedirect)
    const back = memory?.failureRedirect ?? ''
    go(isSignInPlace(back) ? back : paths.login(memory?.domain), {
      replace: true,
      search: {
        failed: 'true',
        ...(redirectUrl && { redirectUrl }),
        ...(reason && { reason }),
        ...(id && { id }),
      },
    })
  }, [go, reason, id])
  return <PageSpinner />
}
