import { lazy } from 'react'

const FirstRunPage = lazy(() => import('./FirstRunPage'))

/**
 * Lazy boundary: the instance list, which every user loads, imports only this file, not the dependencies of the page.
 */
export default function FirstRun() {
  return <FirstRunPage />
}
