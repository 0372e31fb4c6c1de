import { createMemoryHistory, RouterProvider } from '@tanstack/react-router'
import { render } from '@testing-library/react'
import { session } from '@mainstay/contract/identity/session'
import { isOperator, type PersonaName } from '../../../server/src/testing/personas'
import type { TestServer } from '../../../server/src/testing/start-server'
import { adminRoutes as routes } from '../admin-routes'
import { call } from '../api/call'
import { I18n } from '../i18n/I18n'
import { loadTexts } from '../i18n/use-t'
import { buildRouter } from '../nav/build-router'
import { followSession } from '../nav/follow-session'
import type { PageRoute } from '../nav/route'
import { setSession } from '../session/session'
import { Frame } from '../shell/Frame'
import IframeLayout from '../shell/iframe/IframeLayout'
import { PageFault } from '../shell/PageFault'
import { PageSpinner } from '../shell/PageSpinner'
import { Root } from '../shell/Root'
import { shellRedirects } from '../shell/routes'
import NotFoundPage from '../shell/errors/NotFoundPage'
import { browseTo } from './browser'
import { freshSession, keepAccess } from './fresh-session'

export interface PageOptions {
  server: TestServer
  /** The user to sign in as; signed out if omitted. */
  as?: PersonaName
  /** Token for a user who is not a persona. */
  token?: string
  /** Session token for the browser cookie. */
  cookie?: string
  more?: readonly PageRoute[]
}

/** Renders a page of the console against a real in-memory server. There is no socket, so lists load only when shown. */
export async function renderPage(path: string, { server, as, token: known, cookie, more = [] }: PageOptions) {
  freshSession()
  keepAccess()
  const stopBrowsing = browseTo(as && isOperator(as) ? server.adminUrl : server.url, cookie)
  const token = as ? await server.signIn(as) : known
  if (token !== undefined) {
    setSession({ scopedToken: token })
    const { token: _token, scoped_token: _scoped, ...user } = await call(session.whoami, {})
    const project = user.project_id === null ? null : { id: user.project_id, name: as ?? '' }
    setSession({ status: 'signed-in', user, project })
  }
  await Promise.all([loadTexts('shell'), loadTexts('patterns')])
  const router = buildRouter(
    {
      root: Root,
      frame: Frame,
      iframe: IframeLayout,
      notFound: NotFoundPage,
      fault: PageFault,
      pending: PageSpinner,
    },
    [...routes, ...more],
    shellRedirects,
    createMemoryHistory({ initialEntries: [path] }),
  )
  // otherwise the timer of the pending spinner would outlive the page when a spec ends during a navigation
  router.options.defaultPendingMs = Infinity
  const stopFollowing = followSession(router)
  const page = render(
    <I18n>
      <RouterProvider router={router} />
    </I18n>,
  )
  return {
    ...page,
    router,
    /** The current path and query. */
    address: () => `${router.state.location.pathname}${router.state.location.searchStr}`,
    close() {
      page.unmount()
      stopFollowing()
      stopBrowsing()
    },
  }
}
