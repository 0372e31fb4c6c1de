import { useEffect, type ComponentType, type ReactNode } from 'react'
import {
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  redirect,
  type AnyRoute,
  type RouteComponent,
  type RouterHistory,
} from '@tanstack/react-router'
import { rootPath } from '../lib/root-path'
import { loadTexts } from '../i18n/use-t'
import { metaReady } from '../session/meta'
import { isInFrame } from '../session/embedding'
import { sessionNow, useSession } from '../session/session'
import { guard, redirectToSignIn, type Where } from './guard'
import { canBeFramed, iframePath, setFramedPages } from './iframe'
import { setKnownPages } from './known-pages'
import { landingPath } from './landing'
import { lazyPage } from './lazy-page'
import type { PageRoute, Redirect } from './route'
import { parseSearch, stringifySearch } from './search'

type Page = RouteComponent

/** Layout components around pages, provided by the shell so that nav does not depend on it. */
export interface ShellLayouts {
  root: Page
  /** Header and menu around the given children, or around the current route if there are none. */
  frame: ComponentType<{ children?: ReactNode }>
  /** Layout of forms embedded in another web page. */
  iframe: ComponentType
  notFound: ComponentType
  /** Shown when a page's guard fails or its code cannot be loaded. */
  fault: ComponentType<{ error: unknown; reset: () => void }>
  pending: Page
}

/** Renders a page together with the pages drawn over it. */
function layered(load: PageRoute['load']) {
  const BasePage = lazyPage(load)
  const Layered = () => (
    <>
      <BasePage />
      <Outlet />
    </>
  )
  return Object.assign(Layered, BasePage.preload && { preload: BasePage.preload })
}

/** A page available to everyone: inside the frame for signed-in users, and without the frame for everyone else. */
function withinFrame(Frame: ShellLayouts['frame'], Page: ComponentType): Page {
  return function WithinFrame() {
    const { user, meta } = useSession()
    const isSignedIn = user !== null && !isInFrame()
    // on a direct visit, the permissions have not been requested yet; if the request fails, the page has no frame
    useEffect(() => {
      if (isSignedIn) metaReady().catch(() => {})
    }, [isSignedIn])
    return isSignedIn && meta ? (
      <Frame>
        <Page />
      </Frame>
    ) : (
      <Page />
    )
  }
}

const below = (path: string, base: string) => (path.startsWith(`${base}/`) ? path.slice(base.length + 1) : path)

export function buildRouter(
  { root, frame, iframe, notFound, fault, pending }: ShellLayouts,
  pages: readonly PageRoute[],
  redirects: readonly Redirect[] = [],
  history?: RouterHistory,
) {
  const rootRoute = createRootRoute({ component: root, notFoundComponent: withinFrame(frame, notFound) as never })
  const frameRoute = createRoute({
    getParentRoute: () => rootRoute,
    id: 'frame',
    component: frame as Page,
    loader: () => loadTexts('patterns').then(() => null),
    errorComponent: fault as never,
  }) as unknown as AnyRoute

  const routeOf = (page: PageRoute, parent: AnyRoute, path: string, component: Page, needs = page.needs) =>
    createRoute({
      getParentRoute: () => parent as never,
      path,
      component,
      beforeLoad: ({ location }: { location: Where }) => guard(needs, location),
      loader: () => loadTexts(page.texts).then(() => null),
      errorComponent: fault as never,
      staticData: { page },
    }) as unknown as AnyRoute
  const alone = (page: PageRoute) => {
    const component = lazyPage(page.load)
    return page.frame === 'signed-in' ? withinFrame(frame, component) : component
  }

  const framed = pages.filter(canBeFramed)
  setFramedPages(framed.map(({ path }) => path))
  const iframeRoute = createRoute({
    getParentRoute: () => rootRoute,
    path: 'iframe',
    component: iframe as Page,
    loader: () => loadTexts('patterns').then(() => null),
    errorComponent: fault as never,
  }) as unknown as AnyRoute
  iframeRoute.addChildren(
    framed.map((page) =>
      routeOf(page, iframeRoute, iframePath(page.path), alone(page), page.framedNeeds ?? page.needs),
    ) as never,
  )

  const made = new Map<string, { route: AnyRoute; children: AnyRoute[] }>()
  const topRoutes: AnyRoute[] = []
  const frameRoutes: AnyRoute[] = []

  const depth = (page: PageRoute): number => {
    const base = page.over === undefined ? undefined : pages.find(({ path }) => path === page.over)
    return base ? depth(base) + 1 : 0
  }
  // a page drawn over another one is built after it, regardless of their order in the table
  const ordered = pages.toSorted((a, b) => depth(a) - depth(b))

  for (const page of ordered) {
    const base = page.over === undefined ? undefined : made.get(page.over)
    if (page.over !== undefined && !base) throw new Error(`${page.path} is over ${page.over}, which is not a page`)
    const parent = base?.route ?? (page.frame === 'whole' ? frameRoute : rootRoute)
    const hasPagesOver = pages.some(({ over }) => over === page.path)
    const path = base && page.over !== undefined ? below(page.path, page.over) : page.path
    const route = routeOf(page, parent as AnyRoute, path, hasPagesOver ? layered(page.load) : alone(page))
    made.set(page.path, { route, children: [] })
    if (base) base.children.push(route)
    else (page.frame === 'whole' ? frameRoutes : topRoutes).push(route)
  }
  for (const { route, children } of made.values()) if (children.length > 0) route.addChildren(children)

  const redirectRoutes = redirects.map(({ path, to }) =>
    createRoute({
      getParentRoute: () => rootRoute,
      path,
      beforeLoad: () => {
        redirect({ to: to(), replace: true, throw: true })
      },
    }),
  )
  const homeRoute = createRoute({
    getParentRoute: () => rootRoute,
    path: '/',
    beforeLoad: async ({ location }) => {
      if (!sessionNow().user) redirectToSignIn(location)
      await metaReady()
      if (!sessionNow().user) redirectToSignIn(location)
      redirect({ to: landingPath(sessionNow()), replace: true, throw: true })
    },
    errorComponent: fault as never,
  })

  setKnownPages(pages, redirects)
  return createRouter({
    routeTree: rootRoute.addChildren([
      homeRoute,
      ...redirectRoutes,
      ...topRoutes,
      iframeRoute,
      frameRoute.addChildren(frameRoutes),
    ] as never) as unknown as AnyRoute,
    basepath: rootPath.replace(/\/$/, '') || '/',
    parseSearch,
    stringifySearch,
    defaultPendingComponent: pending,
    defaultPendingMs: 150,
    defaultPendingMinMs: 0,
    defaultPreload: 'intent',
    defaultPreloadDelay: 80,
    ...(history && { history }),
  })
}

export type ConsoleRouter = ReturnType<typeof buildRouter>
