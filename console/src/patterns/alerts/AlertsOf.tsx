import { lazy, Suspense } from 'react'
import { withTexts } from '../../nav/with-texts'

const ObjectAlerts = lazy(withTexts('alerts', () => import('./ObjectAlerts')))

/** The open alerts about one object, at its page. They come after the page, and take no place where there are none. */
export const AlertsOf = (props: { kind: string; id: string }) => (
  <Suspense fallback={null}>
    <ObjectAlerts {...props} />
  </Suspense>
)
