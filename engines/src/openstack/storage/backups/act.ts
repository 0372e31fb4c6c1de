import { Problem, problem, problemOf } from '@mainstay/contract/core/problems'
import { backupCan, whyBackupNotNow, type BackupAction } from '@mainstay/contract/storage/backup-rules'
import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import * as z from 'zod'
import type { ServiceClient } from '../../client/service-client'
import { unlessGone } from '../../read-each'
import { backupReader } from './shape'

/* Shared by the commands for recovery points. */

export const subjectOf = ({ id, name }: Pick<VolumeBackup, 'id' | 'name'>) => ({ kind: backupReader.kind, id, name })

/** How long copying or deleting a large volume may take without a visible change, in milliseconds. */
export const quietMs = 24 * 60 * 60_000

export const unlessAllowed =
  (action: BackupAction) =>
  ({ status, has_dependents }: VolumeBackup): Problem | null => {
    // dependents prevent only the deletion
    const point = { status, has_dependents: has_dependents && action === 'delete' }
    return backupCan(action, point) ? null : problemOf(whyBackupNotNow(point))
  }

/** Replaces errors that can be recognized only by Cinder's message. */
export function explained(error: unknown): unknown {
  if (!(error instanceof Problem)) return error
  // the status is 404, as for a missing recovery point, or 503
  const reason = /Service cinder-backup could not be found/.exec(error.message)?.[0]
  if (reason !== undefined) return problem('infrastructure.backup_place', { reason }, { cause: error })
  if (/Incremental backups exist/.test(error.message))
    return problem('storage.backup_has_children', {}, { cause: error })
  return error
}

/** Sends the deletion of a recovery point, which may already be gone. */
export const sendDeletion = (cloud: ServiceClient, id: string): Promise<unknown> =>
  unlessGone(
    cloud.send('DELETE', 'volume', `/backups/${id}`, z.void()).catch((error: unknown) => {
      throw explained(error)
    }),
  )
