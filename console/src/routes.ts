import { areas } from './areas'
import type { PageRoute } from './nav/route'
import { shellRoutes } from './shell/routes'

/** All pages in the portal. */
export const portalRoutes: readonly PageRoute[] = [...shellRoutes, ...areas.flatMap(({ pages }) => pages)]
