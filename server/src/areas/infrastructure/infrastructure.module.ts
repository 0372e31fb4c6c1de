import { module } from '../../module'
import { clusterRoutes } from './clusters.routes'
import { engineRoutes } from './engines.routes'
import { backingUp, backupPlan } from './management-backup/backup-job'
import { managementBackupRoutes } from './management-backup/management-backup.routes'
import { nodeRoutes } from './nodes.routes'

export const infrastructureModule = module({
  routes: [clusterRoutes, engineRoutes, nodeRoutes, managementBackupRoutes],
  jobs: [backingUp],
  schedules: [backupPlan],
})
