import { locationKind } from '@mainstay/contract/infrastructure/locations'
import { nodeKind } from '@mainstay/contract/infrastructure/nodes'
import { module } from '../../module'
import { clusterRoutes } from './clusters.routes'
import { engineRoutes } from './engines.routes'
import { impactRoutes } from './impact/impact.routes'
import { failureDomainRoutes, locationRoutes } from './locations/locations.routes'
import { addDefaultPlaces } from './locations/locations.service'
import { backingUp, backupPlan } from './management-backup/backup-job'
import { managementBackupRoutes } from './management-backup/management-backup.routes'
import { addComputeNodes } from './nodes/node-rows'
import { nodeRoutes } from './nodes/nodes.routes'

export const infrastructureModule = module({
  routes: [
    clusterRoutes,
    engineRoutes,
    nodeRoutes,
    locationRoutes,
    failureDomainRoutes,
    impactRoutes,
    managementBackupRoutes,
  ],
  kinds: [nodeKind, locationKind],
  jobs: [backingUp],
  schedules: [backupPlan],
  async seed(tools) {
    await addDefaultPlaces(tools)
    await addComputeNodes(tools)
  },
})
