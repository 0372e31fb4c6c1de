import { lazy, Suspense, useEffect } from 'react'
import { followIdle, useIdle } from '../../session/idle'
import { useSession } from '../../session/session'

const IdleWarning = lazy(() => import('./IdleWarning'))

/** Watches for user activity and shows a warning before the installation’s idle timeout expires. */
export function IdleWatch() {
  // older servers do not report the timeout
  const minutes = useSession(({ meta }) => meta?.idle_timeout_minutes ?? 0)
  const isAsked = useIdle(({ secondsLeft }) => secondsLeft !== null)
  useEffect(() => followIdle(minutes), [minutes])
  return <Suspense fallback={null}>{isAsked && <IdleWarning />}</Suspense>
}
