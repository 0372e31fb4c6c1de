import type { CloudArea } from '../area'
import { storageQuotasOf } from '../quotas'
import { backupCommands, noBackupFiles } from './backups/commands'
import { backupReader } from './backups/shape'
import { targetOfCloud } from './backups/target'
import { encryptionOfCloud } from './encryption'
import { noRecycleBin } from './recycle-bin'
import { snapshotCommands } from './snapshots/commands'
import { snapshotReader } from './snapshots/shape'
import { storageStatOf } from './stat'
import { storagePolicyReader } from './volume-types'
import { volumeCommands } from './volumes/commands'
import { volumeReader } from './volumes/shape'

export const storageOfCloud: CloudArea<'storage'> = {
  area: 'storage',
  // commands use the caller's token for this cloud
  needs: ['identity'],
  readers: [storagePolicyReader, volumeReader, snapshotReader, backupReader],
  open: ({ engine, quotaLimits }) => ({
    port: {
      volumes: volumeCommands(engine),
      volumeSnapshots: snapshotCommands(engine),
      volumeBackups: backupCommands(engine),
      backupFiles: noBackupFiles,
      backupTarget: targetOfCloud,
      encryption: encryptionOfCloud,
      recycleBin: noRecycleBin,
      quotas: (scope, projectId) => storageQuotasOf(engine, scope, projectId),
      quotaLimits,
      stat: (scope) => storageStatOf(engine, scope),
      tiers: () => Promise.resolve(null),
    },
  }),
}
