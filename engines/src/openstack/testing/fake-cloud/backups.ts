import { randomUUID } from 'node:crypto'
import type { FakeCloud, Received, Reply } from './cloud'
import { cinderRefusal } from './refusals'
import { isAdmin, minorOf } from './snapshots'

export type FakeBackup = Record<string, unknown> & {
  id: string
  name: string
  status: string
  size: number
  volume_id: string
  created_at: string
  data_timestamp: string
  metadata: Record<string, string>
  project_id: string
  user_id: string
  /** ID of the backup that this one is based on. The service does not return it. */
  parent_id: string | null
}

export interface FakeBackups {
  backups: Map<string, FakeBackup>
  /** Quota in GiB; tests may change it. */
  backupQuota: { limit: number }
  addBackup(backup: Partial<FakeBackup> & { volume_id: string }): FakeBackup
}

interface CapturedVolume {
  id: string
  name: string
  status: string
  size: number
}

/** First minor microversions that return the project, the metadata and the user of a backup. */
const projectMinor = 18
const metadataMinor = 43
const userMinor = 56

/** Serves the backups in the volume service. Their operations are complete after `settleBackups`. */
export function fakeBackups(
  cloud: FakeCloud,
  volumes: ReadonlyMap<string, CapturedVolume>,
): FakeBackups & { settleBackups(): void } {
  const backups = new Map<string, FakeBackup>()
  // the volume service returns times without a time zone
  const now = () => new Date().toISOString().replace('Z', '000')
  const invalid = (words: string) => cinderRefusal(400, 'badRequest', words)
  const missing = (what: string, id: string | undefined) =>
    cinderRefusal(404, 'itemNotFound', `${what} ${id} could not be found.`)
  /** Returns all backups, newest first, as the service lists them. */
  const all = () => [...backups.values()].toReversed()
  const hasDependents = ({ id }: FakeBackup) => all().some(({ parent_id }) => parent_id === id)

  function shown(backup: FakeBackup, call: Received) {
    const { project_id, user_id, metadata, parent_id, ...fields } = backup
    const minor = minorOf(call)
    return {
      ...fields,
      is_incremental: parent_id !== null,
      has_dependent_backups: hasDependents(backup),
      ...(minor >= metadataMinor && { metadata }),
      ...(minor >= projectMinor && isAdmin(call) && { 'os-backup-project-attr:project_id': project_id }),
      ...(minor >= userMinor && isAdmin(call) && { user_id }),
    }
  }
  const on = (verb: string, path: string, answer: (backup: FakeBackup, call: Received) => Reply) =>
    cloud.on('volume', verb, path, (call) => {
      const backup = backups.get(call.params['id'] ?? '')
      const isVisible = backup && (backup.project_id === call.token?.project?.id || isAdmin(call))
      return isVisible ? answer(backup, call) : missing('Backup', call.params['id'])
    })

  const fake: FakeBackups = {
    backups,
    backupQuota: { limit: 1000 },
    addBackup(backup) {
      const created_at = backup.created_at ?? now()
      const made: FakeBackup = {
        ...{ id: randomUUID(), name: '', description: null, status: 'available', fail_reason: null, metadata: {} },
        ...{ size: volumes.get(backup.volume_id)?.size ?? 1, object_count: 0, container: null, snapshot_id: null },
        ...{ created_at, data_timestamp: created_at, updated_at: null, availability_zone: 'nova', links: [] },
        ...{ project_id: 'p-demo', user_id: 'u-demo', parent_id: null },
        ...backup,
      }
      backups.set(made.id, made)
      return made
    },
  }

  /** Returns the backup that an increment of the volume is based on. */
  const newestOf = (volume: CapturedVolume, project: string): FakeBackup | undefined =>
    all()
      .filter(({ volume_id, project_id }) => volume_id === volume.id && project_id === project)
      .toSorted((one, other) => other.data_timestamp.localeCompare(one.data_timestamp))[0]

  function whyNoIncrement(newest: FakeBackup | undefined): Reply | null {
    if (!newest) return invalid('Invalid backup: No backups available to do an incremental backup.')
    if (newest.status === 'available') return null
    return invalid('Invalid backup: The parent backup must be available for incremental backup.')
  }

  function beyondQuota(more: number): Reply | null {
    const used = all().reduce((sum, { size }) => sum + size, 0)
    const { limit } = fake.backupQuota
    if (used + more <= limit) return null
    const what = 'VolumeBackupSizeExceedsAvailableQuota: Requested backup exceeds allowed Backup gigabytes quota.'
    const numbers = `Requested ${more}G, quota is ${limit}G and ${used}G has been consumed.`
    return cinderRefusal(413, 'overLimit', `${what} ${numbers}`)
  }

  cloud.on('volume', 'POST', '/backups', (call) => {
    type Draft = { volume_id: string; incremental?: boolean; force?: boolean; metadata?: Record<string, string> }
    const { incremental = false, force = false, metadata = {}, ...draft } = (call.body as { backup: Draft }).backup
    const volume = volumes.get(draft.volume_id)
    if (!volume) return missing('Volume', draft.volume_id)
    if (!['available', 'in-use'].includes(volume.status)) {
      const words = `must be available or in-use, but the current status is "${volume.status}".`
      return invalid(`Invalid volume: Volume to be backed up ${words}`)
    }
    if (volume.status === 'in-use' && !force)
      return invalid('Invalid volume: Backing up an in-use volume must use the force flag.')
    const { user, project } = call.token!
    const project_id = project?.id ?? ''
    const newest = newestOf(volume, project_id)
    const refused = beyondQuota(volume.size) ?? (incremental ? whyNoIncrement(newest) : null)
    if (refused) return refused
    volume.status = 'backing-up'
    const made = fake.addBackup({
      ...{ ...draft, project_id, user_id: user.id, status: 'creating' },
      parent_id: incremental && newest ? newest.id : null,
      ...(minorOf(call) >= metadataMinor && { metadata }),
    })
    return { status: 202, body: { backup: { id: made.id, name: made.name, links: [] } } }
  })
  on('GET', '/backups/:id', (backup, call) => ({ body: { backup: shown(backup, call) } }))
  cloud.on('volume', 'GET', '/backups/detail', (call) => {
    const volume = call.query.get('volume_id')
    const isOfAll = isAdmin(call) && call.query.get('all_tenants') === '1'
    const rows = all()
      .filter(({ volume_id }) => volume === null || volume_id === volume)
      .filter(({ project_id }) => isOfAll || project_id === call.token?.project?.id)
    return { body: { backups: rows.map((row) => shown(row, call)) } }
  })
  on('DELETE', '/backups/:id', (backup) => {
    if (!['available', 'error'].includes(backup.status))
      return invalid('Invalid backup: Backup status must be available or error')
    if (hasDependents(backup)) return invalid('Invalid backup: Incremental backups exist for this backup.')
    backup.status = 'deleting'
    return { status: 202 }
  })
  on('POST', '/backups/:id/restore', (backup, call) => {
    const { volume_id } = (call.body as { restore: { volume_id: string } }).restore
    const volume = volumes.get(volume_id)
    if (backup.status !== 'available') return invalid('Invalid backup: Backup status must be available')
    if (!volume) return missing('Volume', volume_id)
    if (volume.status !== 'available') return invalid('Invalid volume: Volume to be restored to must be available')
    if (volume.size < backup.size) {
      const words = `volume size ${volume.size} is too small to restore backup of size ${backup.size}.`
      return invalid(`Invalid volume: ${words}`)
    }
    backup.status = 'restoring'
    volume.status = 'restoring-backup'
    return { status: 202, body: { restore: { backup_id: backup.id, volume_id, volume_name: volume.name } } }
  })

  return Object.assign(fake, {
    settleBackups() {
      for (const backup of backups.values()) {
        if (backup.status === 'deleting') backups.delete(backup.id)
        if (['creating', 'restoring'].includes(backup.status)) backup.status = 'available'
      }
    },
  })
}
