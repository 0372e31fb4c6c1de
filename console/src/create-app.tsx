import { lazy, useEffect } from 'react'
import { RouterProvider } from '@tanstack/react-router'
import instances from '../locales/en/instances.json'
import patterns from '../locales/en/patterns.json'
import { afterFirstAnswers } from './api/first-answers'
import { keepEnglish } from './i18n/catalogues'
import { buildRouter } from './nav/build-router'
import { followSession } from './nav/follow-session'
import type { PageRoute } from './nav/route'
import { followLive } from './session/follow-live'
import { Frame } from './shell/Frame'
import { PageFault } from './shell/PageFault'
import { PageSpinner } from './shell/PageSpinner'
import { Root } from './shell/Root'
import { shellRedirects } from './shell/routes'

// texts of the first list: as part of its chunk, they need no requests
keepEnglish({ instances, patterns })

const IframeLayout = lazy(() => import('./shell/iframe/IframeLayout'))
const NotFound = lazy(() => import('./shell/errors/NotFoundPage'))

/** Creates the console app for one panel, with all of its pages except the initial sign-in. */
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
    // The socket resumes from the revision of the first response, so no change is lost in between.
    useEffect(() => afterFirstAnswers(followLive), [])
    return <RouterProvider router={router} />
  }
}
