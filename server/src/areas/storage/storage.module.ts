import { servePlain } from '../../http/serve-resource'
import { module } from '../../module'
import { backupDayRoutes } from './backup-days.routes'
import { backupFileRoutes } from './backup-files.routes'
import { recycleBinRoutes, recycleBinSettingsRoutes } from './recycle-bin.routes'
import { recycleBinExpiry } from './recycle-bin.service'
import { volumeBackupRoutes } from './volume-backups.routes'
import { volumeSnapshotRoutes } from './volume-snapshots.routes'
import { volumeRoutes } from './volumes.routes'

export const storageModule = module({
  routes: [
    servePlain('storage', ({ ports }) => ports.storage),
    volumeRoutes,
    volumeSnapshotRoutes,
    volumeBackupRoutes,
    backupDayRoutes,
    backupFileRoutes,
    recycleBinRoutes,
    recycleBinSettingsRoutes,
  ],
  schedules: [recycleBinExpiry],
})
