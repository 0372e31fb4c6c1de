import { lazy, useEffect } from 'react'
import { RouterProvider } from '@tanstack/react-router'
import { afterFirstAnswers } from './api/first-answers'
import { buildRouter } from './nav/build-router'
import { followSession } from './nav/follow-session'
import type { PageRoute } from './nav/route'
import { followLive } from './session/follow-live'
import { Frame } from './shell/Frame'
import { PageFault } from './shell/PageFault'
import { PageSpinner } from './shell/PageSpinner'
import { Root } from './shell/Root'
import { shellRedirects } from './shell/routes'

const IframeLayout = lazy(() => import('./shell/iframe/IframeLayout'))
const NotFound = lazy(() => import('./shell/errors/NotFoundPage'))

/** The console itself with the pages of a panel: every page but the first sign-in. */
export function createApp(routes: readonly PageRoute[]) {
  const router = buildRouter(
    {
      root: Root,
      frame: Frame,
      iframe: IframeLayout,
      notFound: NotFound as never,
      fault: PageFault,
      pending: PageSpinner,
    },
    routes,
    shellRedirects,
  )
  followSession(router)

  return function App() {
    // the socket resumes from what the server told before the first answer, so nothing is missed in between
    useEffect(() => afterFirstAnswers(followLive), [])
    return <RouterProvider router={router} />
  }
}
