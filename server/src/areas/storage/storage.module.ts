import { servePlain } from '../../http/serve-resource'
import { module } from '../../module'
import { recycleBinRoutes, recycleBinSettingsRoutes } from './recycle-bin.routes'
import { recycleBinExpiry } from './recycle-bin.service'
import { volumeRoutes } from './volumes.routes'

export const storageModule = module({
  routes: [
    servePlain('storage', ({ ports }) => ports.storage),
    volumeRoutes,
    recycleBinRoutes,
    recycleBinSettingsRoutes,
  ],
  schedules: [recycleBinExpiry],
})
