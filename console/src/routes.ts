import { sshKeyRoutes } from './areas/compute/ssh-keys/routes'
import type { PageRoute } from './nav/route'
import { shellRoutes } from './shell/routes'

/** Every page of the console: one line per resource. */
export const routes: readonly PageRoute[] = [...shellRoutes, ...sshKeyRoutes]
