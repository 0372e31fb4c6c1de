import { adminAreas } from './admin-areas'
import type { PageRoute } from './nav/route'
import { shellRoutes } from './shell/routes'

/** All pages of the admin panel, and therefore of the whole console. */
export const adminRoutes: readonly PageRoute[] = [...shellRoutes, ...adminAreas.flatMap(({ pages }) => pages)]
