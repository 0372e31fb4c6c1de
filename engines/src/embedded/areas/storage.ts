import type { MachineArea } from './area'
import { quotasOf } from '../quotas'
import { backupCommands } from '../storage/backups/commands'
import { backupJobs } from '../storage/backups/jobs'
import { backupTarget } from '../storage/backups/target'
import { encryptionCommands, encryptionJobs } from '../storage/encryption'
import { recycleBinCommands } from '../storage/recycle-bin/commands'
import { recycleBinJobs } from '../storage/recycle-bin/jobs'
import { snapshotCommands } from '../storage/snapshots/commands'
import { snapshotJobs } from '../storage/snapshots/jobs'
import { storageStatOf } from '../storage/stat'
import { volumeCommands } from '../storage/volumes/commands'
import { copyJobs } from '../storage/volumes/copy-jobs'
import { volumeJobs } from '../storage/volumes/jobs'
import { noteStoragePolicy } from '../rows/volumes'

export const storageOfMachine: MachineArea<'storage'> = {
  area: 'storage',
  open: ({ engine, quotaLimits }) => ({
    port: {
      volumes: volumeCommands(engine),
      volumeSnapshots: snapshotCommands(engine),
      volumeBackups: backupCommands(engine),
      backupTarget: backupTarget(engine),
      encryption: encryptionCommands(engine),
      recycleBin: recycleBinCommands(engine),
      quotas: (scope, projectId) => quotasOf(engine, 'storage', scope, projectId),
      quotaLimits,
      stat: (scope) => storageStatOf(engine, scope),
    },
    jobs: {
      ...volumeJobs(engine),
      ...copyJobs(engine),
      ...snapshotJobs(engine),
      ...backupJobs(engine),
      ...encryptionJobs(engine),
      ...recycleBinJobs(engine),
    },
    seed: async () => noteStoragePolicy,
  }),
}
