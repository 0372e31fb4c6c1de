import { servePlain } from '../../http/serve-resource'
import { module } from '../../module'
import { computeClusterRoutes } from './compute-cluster.routes'
import { imageRoutes, imageUploadRoutes } from './images.routes'
import { instanceRoutes } from './instances.routes'
import { placementRoutes } from './placements.routes'
import { domainQuotaRoutes, quotaRoutes } from './quotas.routes'
import { sshKeyRoutes } from './ssh-keys.routes'

export const computeModule = module({
  routes: [
    servePlain('compute', ({ ports }) => ports.compute),
    computeClusterRoutes,
    instanceRoutes,
    imageRoutes,
    imageUploadRoutes,
    sshKeyRoutes,
    placementRoutes,
    quotaRoutes,
    domainQuotaRoutes,
  ],
})
