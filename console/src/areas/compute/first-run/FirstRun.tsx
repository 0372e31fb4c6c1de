import { lazy } from 'react'

const FirstRunPage = lazy(() => import('./FirstRunPage'))

/**
 * Lazy boundary: the instance list, which every user loads, imports only this file and not everything the page needs.
 */
export default function FirstRun() {
  return <FirstRunPage />
}
