import { problem } from '@mainstay/contract/core/problems'
import type { BackupFilesPort, VolumeBackupsPort } from '../../../ports/storage'
import type { Engine } from '../../engine'
import { usualPatience, type VolumePatience } from '../volumes/until-available'
import { createInstant, createPoint, createSteps } from './create'
import { deletePoint, deleteSteps, expirePoints } from './delete'
import { checkRestore, restorePoint, restoreSteps } from './restore'

/**
 * Commands for recovery points, which are backups in Cinder: https://docs.openstack.org/api-ref/block-storage/v3/.
 * `patience`: other waits, for tests.
 */
export function backupCommands(engine: Engine, patience: VolumePatience = usualPatience): VolumeBackupsPort {
  engine.registerTaskSteps('compute.volume_backup.create', createSteps(engine))
  engine.registerTaskSteps('compute.volume_backup.delete', deleteSteps(engine, patience))
  engine.registerTaskSteps('compute.volume_backup.restore', restoreSteps(engine, patience))
  return {
    create: (scope, draft) => createPoint(engine, scope, draft),
    createInstant: (scope, order) => createInstant(engine, scope, order),
    delete: (scope, id) => deletePoint(engine, scope, id),
    expire: (scope, ids) => expirePoints(engine, scope, ids),
    restore: (scope, id, draft) => restorePoint(engine, scope, id, draft, patience),
    checkRestore: (scope, id) => checkRestore(engine, scope, id),
    // Cinder has no call that reads backups back
    verify: () => Promise.reject(problem('storage.not_verifiable')),
  }
}

const cannotReadFiles = (): Promise<never> => Promise.reject(problem('storage.files_elsewhere'))

/** A cloud stores recovery points in its own format, which only the cloud reads. */
export const noBackupFiles: BackupFilesPort = {
  open: cannotReadFiles,
  view: cannotReadFiles,
  close: cannotReadFiles,
  fileSystems: cannotReadFiles,
  entries: cannotReadFiles,
  tree: cannotReadFiles,
  read: cannotReadFiles,
}
