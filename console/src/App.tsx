import { lazy, useEffect } from 'react'
import { RouterProvider } from '@tanstack/react-router'
import { afterFirstAnswers } from './api/first-answers'
import { buildRouter } from './nav/build-router'
import { followSession } from './nav/follow-session'
import { routes } from './routes'
import { followLive } from './session/follow-live'
import { Frame } from './shell/Frame'
import { PageFault } from './shell/PageFault'
import { PageSpinner } from './shell/PageSpinner'
import { Root } from './shell/Root'
import { shellRedirects } from './shell/routes'

const IframeLayout = lazy(() => import('./shell/iframe/IframeLayout'))
const NotFound = lazy(() => import('./shell/errors/NotFoundPage'))

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

/** The console itself: every page but the first sign-in. */
export default function App() {
  // the socket resumes from what the server told before the first answer, so nothing is missed in between
  useEffect(() => afterFirstAnswers(followLive), [])
  return <RouterProvider router={router} />
}
