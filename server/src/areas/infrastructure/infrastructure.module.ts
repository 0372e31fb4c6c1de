import { diskKind } from '@mainstay/contract/infrastructure/disks'
import { nodeInterfaceKind } from '@mainstay/contract/infrastructure/interfaces'
import { locationKind } from '@mainstay/contract/infrastructure/locations'
import { nodeKind } from '@mainstay/contract/infrastructure/nodes'
import { module } from '../../module'
import { clusterRoutes } from './clusters.routes'
import { clusterSettingsRoutes } from './cluster-settings.routes'
import { engineRoutes } from './engines.routes'
import { impactRoutes } from './impact/impact.routes'
import { failureDomainRoutes, locationRoutes } from './locations/locations.routes'
import { followingCrush } from './locations/crush-follow'
import { addDefaultPlaces } from './locations/locations.service'
import { backingUp, backupPlan } from './management-backup/backup-job'
import { managementBackupRoutes } from './management-backup/management-backup.routes'
import { deletingNode } from './nodes/delete-job'
import { hostFeatureRoutes } from './nodes/features/features.routes'
import { installationKey } from './nodes/installation-key'
import { joiningRoutes } from './nodes/joining.routes'
import { enteringMaintenance } from './nodes/maintenance/enter-job'
import { leavingMaintenance } from './nodes/maintenance/exit-job'
import { maintenanceRoutes } from './nodes/maintenance/maintenance.routes'
import { followComputeNodes } from './nodes/node-rows'
import { nodeRoutes } from './nodes/nodes.routes'
import { registering } from './nodes/registration/register-job'
import { registrationRoutes } from './nodes/registration/registration.routes'
import { tierRoutes } from './tiers/tiers.routes'
import { NodeWatch } from './nodes/watcher/node-watch'

declare module '../../tools' {
  interface AreaTools {
    nodeWatch: NodeWatch
  }
}

export const infrastructureModule = module({
  routes: [
    ...[clusterRoutes, clusterSettingsRoutes, engineRoutes, managementBackupRoutes],
    ...[nodeRoutes, hostFeatureRoutes, registrationRoutes, joiningRoutes, maintenanceRoutes],
    ...[locationRoutes, failureDomainRoutes, impactRoutes, tierRoutes],
  ],
  kinds: [nodeKind, diskKind, nodeInterfaceKind, locationKind],
  jobs: [backingUp, registering, deletingNode, enteringMaintenance, leavingMaintenance],
  schedules: [backupPlan, followingCrush],
  async seed(tools) {
    await addDefaultPlaces(tools)
    await followComputeNodes(tools)
  },
  open({ inventory, lease, hosts, settings, log, pace, figures }) {
    const privateKey = async () => (await installationKey(settings)).privateKey
    const nodeWatch = new NodeWatch({ inventory, lease, hosts, privateKey, log, pace })
    nodeWatch.start()
    figures.sampling.add(nodeWatch.sampler())
    return { tools: { nodeWatch }, close: () => nodeWatch.close() }
  },
})
