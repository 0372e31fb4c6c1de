import { lazy } from 'react'
import { RouterProvider } from '@tanstack/react-router'
import { buildRouter } from './nav/build-router'
import { followSession } from './nav/follow-session'
import { routes } from './routes'
import { PageFault } from './shell/PageFault'
import { PageSpinner } from './shell/PageSpinner'
import { Root } from './shell/Root'
import { shellRedirects } from './shell/routes'

const NotFound = lazy(() => import('./shell/errors/NotFoundPage'))

const router = buildRouter(
  {
    root: Root,
    loadFrame: () => import('./shell/Frame'),
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
  return <RouterProvider router={router} />
}
