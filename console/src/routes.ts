import { flavorRoutes } from './areas/compute/flavors/routes'
import { imageRoutes } from './areas/compute/images/routes'
import { instanceRoutes } from './areas/compute/instances/routes'
import { placementRoutes } from './areas/compute/placements/routes'
import { serverGroupRoutes } from './areas/compute/server-groups/routes'
import { sshKeyRoutes } from './areas/compute/ssh-keys/routes'
import { domainRoutes } from './areas/identity/domains/routes'
import { projectRoutes } from './areas/identity/projects/routes'
import { userRoutes } from './areas/identity/users/routes'
import { engineRoutes } from './areas/infrastructure/engines/routes'
import { taskRoutes } from './areas/monitoring/tasks/routes'
import { volumeRoutes } from './areas/storage/volumes/routes'
import type { PageRoute } from './nav/route'
import { shellRoutes } from './shell/routes'

/** Every page of the console: one line per resource. Menus are in this order. */
export const routes: readonly PageRoute[] = [
  ...shellRoutes,
  ...instanceRoutes,
  ...imageRoutes,
  ...volumeRoutes,
  ...serverGroupRoutes,
  ...flavorRoutes,
  ...placementRoutes,
  ...sshKeyRoutes,
  ...domainRoutes,
  ...userRoutes,
  ...projectRoutes,
  ...taskRoutes,
  ...engineRoutes,
]
