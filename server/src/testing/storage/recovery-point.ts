import { GiB } from '@mainstay/contract/core/bytes'
import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import type { TestServer } from '../start-server'

/** Writes a recovery point of a project member to the index, without stored files. */
export async function writeRecoveryPoint(server: TestServer, part: Partial<VolumeBackup> = {}): Promise<VolumeBackup> {
  const { user, project } = server.cast.people['project-member']
  const at = part.taken_at ?? '2026-11-20T02:00:00.000Z'
  const row: VolumeBackup = {
    ...{ id: crypto.randomUUID(), name: 'point', description: '', status: 'available', progress: null, fault: null },
    ...{ volume_id: 'a-deleted-volume', volume_name: 'data', size: 4 * GiB, stored_size: GiB },
    ...{ is_incremental: false, parent_id: null, has_dependents: false, instant_id: crypto.randomUUID() },
    ...{ consistency: 'crash', taken_at: at, server_id: null, server_name: null, device: null },
    ...{ storage_policy_name: 'default', backup_plan_id: null, backup_plan_name: null, verified_at: null },
    ...{ damaged_by: null, restore_test: null, project_id: project!.id, domain_id: project!.domain_id },
    ...{ user_id: user.id, created_at: at, updated_at: at },
    ...part,
  }
  await server.tools.inventory.transaction((tx) => tx.put('volume_backup', row))
  return row
}
