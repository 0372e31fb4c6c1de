import type { Served } from './http/serve'
import { computeClusterRoutes } from './areas/compute/compute-cluster.routes'
import { flavorRoutes } from './areas/compute/flavors.routes'
import { imageRoutes, imageUploadRoutes } from './areas/compute/images.routes'
import { instanceRoutes } from './areas/compute/instances.routes'
import { computeNodeRoutes } from './areas/compute/nodes.routes'
import { placementRoutes } from './areas/compute/placements.routes'
import { quotaRoutes } from './areas/compute/quotas.routes'
import { serverGroupRoutes } from './areas/compute/server-groups.routes'
import { sshKeyRoutes } from './areas/compute/ssh-keys.routes'
import { handOverRoutes } from './areas/identity/hand-over.routes'
import { sessionRoutes } from './areas/identity/session.routes'
import { engineRoutes } from './areas/infrastructure/engines.routes'
import { taskRoutes } from './areas/monitoring/tasks.routes'
import { networkRoutes } from './areas/networking/networks.routes'
import { subnetRoutes } from './areas/networking/subnets.routes'
import { volumeRoutes } from './areas/storage/volumes.routes'

/** Every call that this server answers. */
export const allRoutes: Served[] = [
  ...sessionRoutes,
  ...handOverRoutes,
  ...taskRoutes,
  ...computeClusterRoutes,
  ...instanceRoutes,
  ...imageRoutes,
  ...imageUploadRoutes,
  ...flavorRoutes,
  ...sshKeyRoutes,
  ...serverGroupRoutes,
  ...placementRoutes,
  ...computeNodeRoutes,
  ...quotaRoutes,
  ...volumeRoutes,
  ...networkRoutes,
  ...subnetRoutes,
  ...engineRoutes,
]
