import { adminAreas } from './admin-areas'
import type { PageRoute } from './nav/route'
import { shellRoutes } from './shell/routes'

/** Every page of the admin panel, which is every page of the console. */
export const adminRoutes: readonly PageRoute[] = [...shellRoutes, ...adminAreas.flatMap(({ pages }) => pages)]
