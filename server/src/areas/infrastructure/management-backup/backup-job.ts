import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { Problem, problem } from '@mainstay/contract/core/problems'
import { BACKUP_RUNS, type StoredBackup } from '@mainstay/contract/infrastructure/management-backup'
import { FileMissing, openPlace, type Place } from '@mainstay/engines/backup-places'
import type { Scope } from '@mainstay/engines/ports/scope'
import pg from 'pg'
import * as z from 'zod'
import { hasJobs } from '../../../inventory/jobs'
import { job, schedule } from '../../../module'
import { keepAlive } from '../../../store/pool'
import { enqueue, type RunOf } from '../../../tasks/job'
import { serverScope } from '../../../tasks/server-scope'
import type { Tools } from '../../../tools'
import type { BackedUpFile } from './archive-format'
import {
  backupName,
  BACKUP_JOB,
  backupSetting,
  backupSubject,
  filesToBackUp,
  isDue,
  isReady,
  nothingSet,
  SEALING_KEY_FILE,
  type BackupSetting,
} from './management-backup.service'
import { writeArchive } from './write-archive'

const Args = z.strictObject({ name: z.string() })

/**
 * Starts a backup and returns its task ID. Throws if a backup is already being created, or if no location or no key has
 * been set.
 */
export async function beginBackup({ inventory, settings }: Tools, scope: Scope): Promise<string> {
  const kept = await settings.read(backupSetting)
  if (!kept || !isReady(kept.value)) throw problem('infrastructure.backup_not_configured')
  return inventory.transaction(async (records, inside) => {
    // serialize concurrent calls, so that the second one finds the job started by the first
    await records.exclusive('management backup')
    if (await hasJobs(inside, backupSubject)) throw problem('infrastructure.backup_running')
    const args = { name: backupName(new Date()) }
    return enqueue(records, { name: BACKUP_JOB, args: Args }, { args, subject: backupSubject, scope })
  })
}

/** Job that creates a backup, reads it back to verify it, and removes backups beyond the number to keep. */
export const backingUp = job({
  name: BACKUP_JOB,
  args: Args,
  pool: 'bulk',
  async run(run, tools) {
    const started = new Date()
    // checked before the file of an earlier run is removed
    run.signal.throwIfAborted()
    const kept = await tools.settings.read(backupSetting)
    if (!kept || !isReady(kept.value)) throw problem('infrastructure.backup_not_configured')
    const { value, secret } = kept
    let place: Place | null = null
    try {
      place = await openPlace({ place: value.place!, marker: value.marker, secret })
      const backup = await create(run, tools, { place, value })
      await removeOld(await noteEnd(tools, { started, error: null, backup }), place, tools)
      return { location: backup.location, size: backup.size }
    } catch (error) {
      if (run.signal.aborted) throw error
      await place?.remove(run.args.name).catch(() => undefined)
      await noteEnd(tools, { started, error: errorText(error), backup: null })
      throw error
    }
  },
})

const errorText = (error: unknown): string =>
  error instanceof Problem ? error.message : 'An internal error occurred. See the server log'

async function create(
  { args: { name }, signal, progress }: RunOf<z.infer<typeof Args>>,
  tools: Tools,
  { place, value }: { place: Place; value: BackupSetting },
): Promise<StoredBackup> {
  const { connection, version } = tools
  // an earlier run of this job may have been interrupted
  await place.remove(name)
  const client = new pg.Client({ ...connection, ...keepAlive, options: '-c statement_timeout=0 -c TimeZone=UTC' })
  client.on('error', () => undefined)
  await client.connect()
  const created = new Date()
  const hash = createHash('sha256')
  let size = 0
  try {
    const contents = { client, files: await filesOf(tools), version: version.version, recipient: value.key!.recipient }
    const onProgress = (share: number) => progress(share * 80)
    await writeArchive({ ...contents, signal, onProgress }, async (archive) => {
      const counted = new PassThrough()
      archive.on('data', (chunk: Buffer) => {
        hash.update(chunk)
        size += chunk.length
      })
      archive.on('error', (error) => counted.destroy(error))
      await place.write(name, archive.pipe(counted), signal)
    })
  } finally {
    await client.end().catch(() => undefined)
  }
  const sha256 = hash.digest('hex')
  await compare(place, name, { size, sha256 })
  const verified_at = new Date().toISOString()
  return {
    ...{ name, location: place.location(name), created_at: created.toISOString(), size, sha256, verified_at },
    ...{ version: version.version, recipient: value.key!.recipient },
  }
}

/** Reads a stored backup. Throws if it differs from what was written. */
async function compare(place: Place, name: string, written: { size: number; sha256: string }): Promise<void> {
  const hash = createHash('sha256')
  let size = 0
  const stored = await place.read(name).catch((error: unknown) => {
    throw error instanceof FileMissing ? problem('infrastructure.backup_differs') : error
  })
  for await (const chunk of stored as AsyncIterable<Buffer>) {
    hash.update(chunk)
    size += chunk.length
  }
  if (size !== written.size || hash.digest('hex') !== written.sha256) throw problem('infrastructure.backup_differs')
}

async function filesOf({ config, sealingKey }: Tools): Promise<BackedUpFile[]> {
  const found = await Promise.all(
    filesToBackUp.map(async (file) => {
      const content = await readFile(path.join(config.dataFolder, file)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null
        throw error
      })
      return content ? [{ path: file, content }] : []
    }),
  )
  return [{ path: SEALING_KEY_FILE, content: Buffer.from(`${sealingKey.reveal()}\n`) }, ...found.flat()]
}

interface End {
  started: Date
  error: string | null
  backup: StoredBackup | null
}

/** Stores the result of a run. Returns the backups beyond the number to keep. */
async function noteEnd({ settings }: Tools, { started, error, backup }: End): Promise<StoredBackup[]> {
  let old: StoredBackup[] = []
  await settings.change(backupSetting, (kept) => {
    const value = kept?.value ?? nothingSet
    const run = { started_at: started.toISOString(), ended_at: new Date().toISOString(), error }
    const backups = backup ? [backup, ...value.backups.filter(({ name }) => name !== backup.name)] : value.backups
    old = backups.slice(value.keep)
    return {
      value: { ...value, runs: [run, ...value.runs].slice(0, BACKUP_RUNS), backups: backups.slice(0, value.keep) },
    }
  })
  return old
}

/**
 * Removes old backups. Backups in an earlier location are not removed, because the settings of that location are no
 * longer stored.
 */
async function removeOld(old: readonly StoredBackup[], place: Place, { log }: Tools): Promise<void> {
  for (const { name, location } of old.filter((one) => one.location === place.location(one.name)))
    await place.remove(name).catch((error: unknown) => log.warn({ error, location }, 'failed to remove an old backup'))
}

/** Starts the daily backup, even if its time passed while no server was running. */
export const backupPlan = schedule({
  name: 'management.backup.plan',
  job: job({
    name: 'management.backup.plan',
    args: z.strictObject({}),
    async run(_, tools) {
      const kept = await tools.settings.read(backupSetting)
      if (kept && isDue(kept.value, new Date())) await beginBackup(tools, serverScope)
    },
  }),
  plan: { cron: '0 * * * *', time_zone: 'UTC', jitter_seconds: 0, missed: 'once' },
})
