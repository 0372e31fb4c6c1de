import { lazy } from 'react'

const FirstRunPage = lazy(() => import('./FirstRunPage'))

/** The list of instances, which comes to everybody, names this file alone and not all that the page is made of. */
export default function FirstRun() {
  return <FirstRunPage />
}
