import type { MachineArea } from './area'
import { quotasOf } from '../quotas'
import { backupCommands } from '../storage/backups/commands'
import { fileCommands } from '../storage/backups/files/commands'
import { openFilesJob } from '../storage/backups/files/open-job'
import { openFileSessions } from '../storage/backups/files/sessions'
import { backupJobs } from '../storage/backups/jobs'
import { backupTarget } from '../storage/backups/target'
import { encryptionCommands, encryptionJobs } from '../storage/encryption'
import { recycleBinCommands } from '../storage/recycle-bin/commands'
import { recycleBinJobs } from '../storage/recycle-bin/jobs'
import { snapshotCommands } from '../storage/snapshots/commands'
import { snapshotJobs } from '../storage/snapshots/jobs'
import { storageStatOf, tiersOf } from '../storage/stat'
import { volumeCommands } from '../storage/volumes/commands'
import { copyJobs } from '../storage/volumes/copy-jobs'
import { volumeJobs } from '../storage/volumes/jobs'
import { noteStoragePolicy } from '../rows/volumes'

export const storageOfMachine: MachineArea<'storage'> = {
  area: 'storage',
  open({ engine, quotaLimits }) {
    const fileSessions = openFileSessions(engine)
    return {
      port: {
        volumes: volumeCommands(engine),
        volumeSnapshots: snapshotCommands(engine),
        volumeBackups: backupCommands(engine),
        backupFiles: fileCommands(engine, fileSessions),
        backupTarget: backupTarget(engine),
        encryption: encryptionCommands(engine),
        recycleBin: recycleBinCommands(engine),
        quotas: (scope, projectId) => quotasOf(engine, 'storage', scope, projectId),
        quotaLimits,
        stat: (scope) => storageStatOf(engine, scope),
        tiers: () => tiersOf(engine),
      },
      jobs: {
        ...volumeJobs(engine),
        ...copyJobs(engine),
        ...snapshotJobs(engine),
        ...backupJobs(engine),
        'compute.volume_backup.open_files': openFilesJob(engine, fileSessions),
        ...encryptionJobs(engine),
        ...recycleBinJobs(engine),
      },
      seed: async () => noteStoragePolicy,
      prepare: fileSessions.clean,
      follow: () => fileSessions.close,
    }
  },
}
