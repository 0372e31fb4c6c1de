import { GiB } from '@mainstay/contract/core/bytes'
import { backupInProgress } from '@mainstay/contract/storage/backup-rules'
import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import * as z from 'zod'
import type { CallOptions, ServiceClient } from '../../client/service-client'
import { unreadableIn, type KindReader, type Reading } from '../../kind-reader'
import { whole } from '../../networking/wire'
import { readEach, rowOfEach } from '../../read-each'
import { WireTime } from '../../wire-time'
import { factsIn, metadataVersion } from './metadata'

/** A backup in Cinder. */
const WireBackup = z.object({
  id: z.string(),
  name: z.string().nullish(),
  description: z.string().nullish(),
  status: z.string(),
  fail_reason: z.string().nullish(),
  volume_id: z.string().nullish(),
  /** In GiB. */
  size: z.number().nullish(),
  is_incremental: z.boolean().nullish(),
  has_dependent_backups: z.boolean().nullish(),
  data_timestamp: WireTime.nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  'os-backup-project-attr:project_id': z.string(),
  user_id: z.string().nullish(),
  created_at: WireTime,
  updated_at: WireTime.nullish(),
})
type WireBackup = z.output<typeof WireBackup>

async function rowOf(reading: Reading, backup: WireBackup): Promise<VolumeBackup> {
  const { id, name, description, status, fail_reason, size, user_id, created_at, updated_at } = backup
  const project_id = backup['os-backup-project-attr:project_id']
  const volume_id = backup.volume_id ?? ''
  const is_incremental = backup.is_incremental ?? false
  const facts = factsIn(backup.metadata ?? {})
  return {
    id,
    name: name || id,
    description: description ?? '',
    status,
    progress: null,
    fault: fail_reason || null,
    volume_id,
    volume_name: facts.volume_name ?? volume_id,
    size: (size ?? 0) * GiB,
    stored_size: null,
    is_incremental,
    parent_id: is_incremental ? facts.parent_id : null,
    has_dependents: backup.has_dependent_backups ?? false,
    instant_id: facts.instant_id ?? id,
    consistency: Number(facts.volumes ?? 1) > 1 ? 'spread' : 'crash',
    taken_at: backup.data_timestamp ?? created_at,
    server_id: facts.server_id,
    server_name: facts.server_name,
    device: facts.device,
    storage_policy_name: facts.storage_policy_name ?? '',
    backup_plan_id: facts.backup_plan_id,
    backup_plan_name: facts.backup_plan_name,
    verified_at: null,
    damaged_by: null,
    restore_test: null,
    project_id,
    domain_id: await reading.domainOf(project_id),
    user_id: user_id ?? '',
    created_at,
    updated_at: updated_at ?? created_at,
  }
}

/** First microversions that return the project of a backup and the user who created it. */
const projectVersion = '3.18'
const userVersion = '3.56'
const pageSize = 500

/** Returns the microversion that has the most fields among those that the cloud supports. */
async function readVersion(caller: ServiceClient): Promise<string> {
  for (const version of [userVersion, metadataVersion]) if (await caller.offers('volume', version)) return version
  return projectVersion
}

const optionsOf = async ({ caller }: Reading, signal?: AbortSignal): Promise<CallOptions> => ({
  version: await readVersion(caller),
  ...(signal && { signal }),
})

const readOne = async ({ caller }: Reading, id: string, options: CallOptions): Promise<WireBackup> =>
  (await caller.get('volume', `/backups/${encodeURIComponent(id)}`, z.object({ backup: WireBackup }), options)).backup

/** Recovery points in all projects. */
export const backupReader: KindReader<VolumeBackup> = {
  kind: 'volume_backup',
  service: 'volume',
  list: 'backups',

  async *all(reading, signal) {
    const options = { ...(await optionsOf(reading, signal)), query: { all_tenants: 1, limit: pageSize } }
    for await (const page of reading.caller.pages('volume', '/backups/detail', 'backups', WireBackup, options))
      yield await rowOfEach(reading, 'backups', page, (backup) => rowOf(reading, backup))
  },

  async some(reading, ids, signal) {
    const options = await optionsOf(reading, signal)
    const read = async (id: string) => rowOf(reading, await readOne(reading, id, options))
    return readEach(ids, read, unreadableIn(reading, 'backups'))
  },

  isBusy: backupInProgress,
}

/** Reads the recovery points of a volume from the cloud, because the index may not have the newest ones yet. */
export async function backupsOf(reading: Reading, volume_id: string): Promise<VolumeBackup[]> {
  const options = { ...(await optionsOf(reading)), query: { all_tenants: 1, volume_id } }
  const found = await whole(reading.caller.pages('volume', '/backups/detail', 'backups', WireBackup, options))
  return Promise.all(found.map((backup) => rowOf(reading, backup)))
}

/** Whether the volume of a recovery point was bootable. False if it is not known. */
export async function wasBootable(reading: Reading, id: string): Promise<boolean> {
  const { metadata } = await readOne(reading, id, await optionsOf(reading))
  return factsIn(metadata ?? {}).bootable === 'true'
}
