import { problem } from '@mainstay/contract/core/problems'
import { noBackupTarget } from '@mainstay/contract/storage/backup-target'
import type { BackupTargetPort } from '../../../ports/storage'

/** Cinder's configuration determines where recovery points are stored, and Cinder's API does not show it. */
export const targetOfCloud: BackupTargetPort = {
  view: () => Promise.resolve(noBackupTarget),
  set: () => Promise.reject(problem('storage.backup_target_elsewhere')),
}
