import { useEffect, useRef } from 'react'
import { asProblem } from '../../api/problem'
import { paths } from '../../nav/paths'
import { safeRedirect } from '../../nav/redirect-url'
import { useAppNavigate } from '../../nav/use-app-navigate'
import { forgetRedirects, readRedirects } from '../../session/redirect-memory'
import { sessionNow } from '../../session/session'
import { enterHandedOver } from '../../session/sign-in'
import { PageSpinner } from '../PageSpinner'

/**
 * The server redirects here after a sign-in at an identity provider. Enters the project and opens the requested page.
 */
export default function HandOverSuccessPage() {
  const go = useAppNavigate()
  const isBegun = useRef(false)
  useEffect(() => {
    // the stored redirects can be used only once
    if (isBegun.current) return
    isBegun.current = true
    const memory = readRedirects()
    enterHandedOver({ domain: memory?.domain ?? null, projectId: memory?.projectId ?? null }).then(
      () => {
        forgetRedirects()
        go(safeRedirect(memory?.successRedirect) ?? paths.home(), { replace: true })
      },
      (thrown: unknown) => {
        if (sessionNow().accessDisabled) return go(paths.error.accessDisabled(), { replace: true })
        const reason = asProblem(thrown).status === 401 ? 'stale' : 'unknown'
        go(paths.handOver.failed(), { replace: true, search: { reason } })
      },
    )
  }, [go])
  return <PageSpinner />
}
