import { lazy, Suspense } from 'react'
import { withTexts } from '../../nav/with-texts'

const ObjectAlerts = lazy(withTexts('alerts', () => import('./ObjectAlerts')))

/** Open alerts for an object, shown on its page. They are loaded after the page and take no space if there are none. */
export const AlertsOf = (props: { kind: string; id: string }) => (
  <Suspense fallback={null}>
    <ObjectAlerts {...props} />
  </Suspense>
)
