import { module } from '../../module'
import { computeClusterRoutes } from './compute-cluster.routes'
import { flavorRoutes } from './flavors.routes'
import { imageRoutes, imageUploadRoutes } from './images.routes'
import { instanceRoutes } from './instances.routes'
import { computeNodeRoutes } from './nodes.routes'
import { placementRoutes } from './placements.routes'
import { quotaRoutes } from './quotas.routes'
import { serverGroupRoutes } from './server-groups.routes'
import { sshKeyRoutes } from './ssh-keys.routes'

export const computeModule = module({
  routes: [
    computeClusterRoutes,
    instanceRoutes,
    imageRoutes,
    imageUploadRoutes,
    flavorRoutes,
    sshKeyRoutes,
    serverGroupRoutes,
    placementRoutes,
    computeNodeRoutes,
    quotaRoutes,
  ],
})
