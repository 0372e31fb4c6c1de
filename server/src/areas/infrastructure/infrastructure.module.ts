import { diskKind } from '@mainstay/contract/infrastructure/disks'
import { nodeInterfaceKind } from '@mainstay/contract/infrastructure/interfaces'
import { nodeKind } from '@mainstay/contract/infrastructure/nodes'
import { module } from '../../module'
import { clusterRoutes } from './clusters.routes'
import { engineRoutes } from './engines.routes'
import { backingUp, backupPlan } from './management-backup/backup-job'
import { managementBackupRoutes } from './management-backup/management-backup.routes'
import { addComputeNodes } from './nodes/node-rows'
import { nodeRoutes } from './nodes/nodes.routes'

export const infrastructureModule = module({
  routes: [clusterRoutes, engineRoutes, nodeRoutes, managementBackupRoutes],
  kinds: [nodeKind, diskKind, nodeInterfaceKind],
  jobs: [backingUp],
  schedules: [backupPlan],
  seed: addComputeNodes,
})
