import { nodeKind } from '@mainstay/contract/infrastructure/nodes'
import { module } from '../../module'
import { clusterRoutes } from './clusters.routes'
import { clusterSettingsRoutes } from './cluster-settings.routes'
import { engineRoutes } from './engines.routes'
import { backingUp, backupPlan } from './management-backup/backup-job'
import { managementBackupRoutes } from './management-backup/management-backup.routes'
import { addComputeNodes } from './nodes/node-rows'
import { nodeRoutes } from './nodes/nodes.routes'

export const infrastructureModule = module({
  routes: [clusterRoutes, clusterSettingsRoutes, engineRoutes, nodeRoutes, managementBackupRoutes],
  kinds: [nodeKind],
  jobs: [backingUp],
  schedules: [backupPlan],
  seed: addComputeNodes,
})
