import { servePlain } from '../../http/serve-resource'
import { module } from '../../module'
import { computeClusterRoutes } from './compute-cluster.routes'
import { importing } from './image-import-job'
import { imageImportRoutes } from './image-imports.routes'
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
    imageImportRoutes,
    sshKeyRoutes,
    placementRoutes,
    quotaRoutes,
    domainQuotaRoutes,
  ],
  jobs: [importing],
})
