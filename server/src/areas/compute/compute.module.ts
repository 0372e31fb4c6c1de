import { createImageImports, type ImageImports } from '../../proxies/image-imports/image-imports'
import { createImageUploads, type ImageUploads } from '../../proxies/image-uploads'
import { createConsoleTickets, type ConsoleTickets } from '../../session/console-tickets'
import { servePlain } from '../../http/serve-resource'
import { module } from '../../module'
import { clusterConfigured, clusterUpdated, computeClusterRoutes } from './compute-cluster.routes'
import { computeNodeRoutes } from './compute-nodes.routes'
import { importing } from './image-import-job'
import { imageImportRoutes } from './image-imports.routes'
import { imageRoutes, imageUploadRoutes } from './images.routes'
import { instanceRoutes } from './instances.routes'
import { placementRoutes } from './placements.routes'
import { domainQuotaRoutes, quotaRoutes } from './quotas.routes'
import { sshKeyRoutes } from './ssh-keys.routes'

declare module '../../tools' {
  interface AreaTools {
    consoleTickets: ConsoleTickets
    imageUploads: ImageUploads
    imageImports: ImageImports
  }
}

export const computeModule = module({
  routes: [
    servePlain('compute', ({ ports }) => ports.compute),
    computeClusterRoutes,
    computeNodeRoutes,
    instanceRoutes,
    imageRoutes,
    imageUploadRoutes,
    imageImportRoutes,
    sshKeyRoutes,
    placementRoutes,
    quotaRoutes,
    domainQuotaRoutes,
  ],
  jobs: [importing, clusterUpdated, clusterConfigured],
  open({ config, sql, ports, inventory, log }) {
    const imageUploads = createImageUploads({ ports, inventory, log })
    return {
      tools: {
        imageUploads,
        imageImports: createImageImports({ dataFolder: config.dataFolder, trusted: config.importHosts }),
        consoleTickets: createConsoleTickets(sql),
      },
      close: () => imageUploads.close(),
    }
  },
})
