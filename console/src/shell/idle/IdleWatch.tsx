import { lazy, Suspense, useEffect } from 'react'
import { followIdle, useIdle } from '../../session/idle'
import { useSession } from '../../session/session'

const IdleWarning = lazy(() => import('./IdleWarning'))

/** Watches whether somebody is there, for as long as the installation allows. */
export function IdleWatch() {
  // an older server does not tell it
  const minutes = useSession(({ meta }) => meta?.idle_timeout_minutes ?? 0)
  const isAsked = useIdle(({ secondsLeft }) => secondsLeft !== null)
  useEffect(() => followIdle(minutes), [minutes])
  return <Suspense fallback={null}>{isAsked && <IdleWarning />}</Suspense>
}
