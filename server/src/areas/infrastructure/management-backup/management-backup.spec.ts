import { chmod, mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { CreateBucketCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { session } from '@mainstay/contract/identity/session'
import { GiB } from '@mainstay/contract/core/bytes'
import { ManagementBackup, managementBackup } from '@mainstay/contract/infrastructure/management-backup'
import { alerts } from '@mainstay/contract/monitoring/alerts'
import { notifications } from '@mainstay/contract/settings/notifications'
import { s3Keys } from '@mainstay/contract/object-storage/s3-keys'
import { volumes } from '@mainstay/contract/storage/volumes'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { PASSWORD } from '../../../testing/personas'
import { testDatabase } from '../../../testing/postgres/postgres'
import { silentLogger } from '../../../testing/silent-logger'
import { startServer, type TestServer } from '../../../testing/start-server'
import { evaluateAlerts } from '../../monitoring/alerts/evaluate'
import { verifyAudit } from '../../../command-line/verify-audit'
import { restoreBackup } from './restore'
import { backupSetting } from './management-backup.service'

let server: TestServer
let folder: string
let identity: string
const as = 'superuser'
const patient = { timeout: 20_000 }
beforeAll(async () => {
  server = await startServer()
  folder = await mkdtemp(path.join(tmpdir(), 'mainstay-backups-'))
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

/** Returns the files in the folder, except the one that marks it as the backup location. */
const stored = async () => (await readdir(folder)).filter((name) => !name.startsWith('.mainstay-backup-'))
const view = () => server.call(managementBackup.view, { as })
const setPlace = (place: object) => server.call(managementBackup.update, { as, body: { place } as never })
async function newKey(): Promise<string> {
  const made = await server.call(managementBackup.createKey, { as, body: {} })
  const body = { recipient: made.recipient, ending: made.identity.slice(-4) }
  expect((await server.call(managementBackup.confirmKey, { as, body })).key).toMatchObject({
    recipient: made.recipient,
  })
  return made.identity
}
const begin = () => server.call(managementBackup.create, { as, body: {} })
const runs = (count: number) =>
  vi.waitFor(async () => {
    const now = await view()
    expect([now.runs.length, now.tasks]).toEqual([count, []])
    return now
  }, patient)

it('returns the configuration and state, which have no destination and no key at first [EN-063] [CA-234]', async () => {
  const response = await server.fetch(managementBackup.view, { as })
  const first = ManagementBackup.parse(await response.json())
  expect([response.status, first]).toMatchObject([
    200,
    { last_backup_date: null, last_backup_location: null, ready: false, tasks: [], hour: 3, keep: 7 },
  ])
  await expect(begin()).rejects.toMatchObject({ code: 'invalid_state' })
  for (const who of ['project-member', 'domain-admin'] as const)
    expect((await server.fetch(managementBackup.view, { as: who })).status).toBe(403)
  expect((await server.fetch(managementBackup.create, { as: 'viewer', body: {} })).status).toBe(403)
})

it('tests a new location with a small file, and reports what is wrong with it', async () => {
  await expect(setPlace({ kind: 'folder', path: 'backup' })).rejects.toHaveProperty('fields')
  await expect(setPlace({ kind: 'folder', path: path.join(folder, 'none') })).rejects.toMatchObject({
    code: 'backup_target_unavailable',
    message: expect.stringContaining('the folder does not exist'),
  })
  await writeFile(path.join(folder, 'a-file'), '')
  await expect(setPlace({ kind: 'folder', path: path.join(folder, 'a-file') })).rejects.toThrow(/is not a folder/)
  await rm(path.join(folder, 'a-file'))
  const bucket = { kind: 's3', endpoint: 'http://127.0.0.1:9', bucket: 'b', access_key_id: 'a' }
  await expect(setPlace(bucket)).rejects.toHaveProperty('fields.secret_access_key')
  expect((await view()).place).toBeNull()
  expect(await setPlace({ kind: 'folder', path: folder })).toMatchObject({ place: { path: folder }, ready: false })
  expect(await stored()).toEqual([])
})

it('shows a new key once, and uses it after an operator has typed its last characters', async () => {
  const made = await server.call(managementBackup.createKey, { as, body: {} })
  expect(made.identity).toMatch(/^AGE-SECRET-KEY-1[0-9A-Z]{58}$/)
  const confirm = (ending: string) =>
    server.call(managementBackup.confirmKey, { as, body: { recipient: made.recipient, ending } })
  await expect(confirm('????')).rejects.toHaveProperty('fields.ending')
  expect(await view()).toMatchObject({ key: null, ready: false })
  identity = await newKey()
  expect(await view()).toMatchObject({ ready: true, key: { created_by: 'admin' } })
  const stored = await server.sql.query<{ row: string }>(
    'select setting::text as row from setting union all select audit::text from audit',
  )
  expect(stored.map(({ row }) => row).join()).not.toContain(identity)
})

it('creates a backup and compares the stored file with what was written [CA-235]', async () => {
  const response = await server.fetch(managementBackup.create, { as, body: {} })
  expect([response.status, await response.json()]).toEqual([202, { task_id: expect.any(String) }])
  await expect(begin()).rejects.toMatchObject({ code: 'conflict' })
  const done = await runs(1)
  const [backup] = done.backups
  expect(done).toMatchObject({ last_backup_location: backup!.location, overdue: false, runs: [{ error: null }] })
  expect(done.last_backup_date).toBe(backup!.created_at)
  expect(await stored()).toEqual([backup!.name])
  expect((await readFile(backup!.location)).length).toBe(backup!.size)
  expect((await readFile(backup!.location)).toString('latin1', 0, 21)).toBe('age-encryption.org/v1')
})

it('reports a failed backup and keeps the earlier ones', async () => {
  const before = (await view()).backups
  // root can write to every folder, so a file takes the place of the folder
  await rm(folder, { recursive: true })
  await writeFile(folder, '')
  await begin()
  const failed = await runs(2)
  expect(failed.runs[0]!.error).toMatch(/cannot be used: .*is not a folder/)
  expect(failed.backups).toEqual(before)
  await rm(folder)
})

it('does not write to an empty folder at the chosen path, because a share may not be mounted', async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mainstay-backups-'))
  await setPlace({ kind: 'folder', path: folder })
  await rm(folder, { recursive: true })
  await mkdir(folder)
  await begin()
  expect((await runs(3)).runs[0]!.error).toMatch(/does not contain the file .mainstay-backup-/)
  expect(await readdir(folder)).toEqual([])
  await setPlace({ kind: 'folder', path: folder })
})

it('stores backups in a bucket, and reports why a bucket cannot be used', async () => {
  const { acc_key, sec_key } = await server.call(s3Keys.create, { as: 'project-member', body: {} })
  const endpoint = (await server.tools.ports['object-storage'].service()).endpoint!
  const credentials = { accessKeyId: acc_key, secretAccessKey: sec_key }
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials })
  const bucket = 'management-backups'
  const place = { kind: 's3' as const, endpoint, bucket, prefix: 'mainstay/', access_key_id: acc_key }
  const choose = (secret_access_key?: string) =>
    server.call(managementBackup.update, {
      as,
      body: { place, ...(secret_access_key && { secret_access_key }) },
    })
  await expect(choose(sec_key)).rejects.toThrow(/the bucket does not exist/)
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  await expect(choose('another secret')).rejects.toThrow(/the secret key is wrong/)
  const saved = await choose(sec_key)
  expect(saved).toMatchObject({ place, has_secret_access_key: true, on_same_disk: false })
  expect(JSON.stringify(saved)).not.toContain(sec_key)
  // the stored secret key is kept if the prefix changes
  expect(await choose()).toMatchObject({ has_secret_access_key: true })
  const { runs: before } = await view()
  await begin()
  const { backups, runs: after } = await runs(before.length + 1)
  expect([after[0]!.error, backups[0]!.location]).toEqual([null, `s3://${bucket}/mainstay/${backups[0]!.name}`])
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }))
  expect(Contents.map(({ Key, Size }) => [Key, Size])).toEqual([[`mainstay/${backups[0]!.name}`, backups[0]!.size]])
  client.destroy()
  await setPlace({ kind: 'folder', path: folder })
})

it('keeps the chosen number of backups', async () => {
  await server.call(managementBackup.update, { as, body: { keep: 1 } })
  await begin()
  await runs(5)
  await new Promise((done) => setTimeout(done, 1_100))
  await begin()
  const { backups } = await runs(6)
  expect(backups).toHaveLength(1)
  expect(await stored()).toEqual([backups[0]!.name])
})

it('raises an alert if the last backup is older than 24 hours', { tags: 'all' }, async () => {
  const isOpen = async () =>
    (await server.call(alerts.list, { as, query: { type: 'management_backup_overdue', state: 'raised' } })).data.length
  expect(await isOpen()).toBe(0)
  const old = new Date(Date.now() - 25 * 3600_000).toISOString()
  await server.tools.settings.change(backupSetting, (kept) => ({
    value: { ...kept!.value, backups: kept!.value.backups.map((backup) => ({ ...backup, created_at: old })) },
  }))
  expect((await view()).overdue).toBe(true)
  await evaluateAlerts(server.tools)
  expect(await isOpen()).toBe(1)
})

async function restored(file: string, key = identity) {
  const [data, database] = [await mkdtemp(path.join(tmpdir(), 'mainstay-restored-')), await testDatabase()]
  const config = { databaseUrl: database.url, dataFolder: data, sealingKey: null }
  try {
    const done = await restoreBackup({ config, file, identity: key, log: silentLogger })
    return { done, config, drop: () => database.drop() }
  } catch (error) {
    await database.drop()
    await rm(data, { recursive: true })
    throw error
  }
}

it(
  'restores a backup into an empty installation, where users can sign in and secrets can be decrypted',
  { timeout: 90_000 },
  async () => {
    const disk = await server.call(volumes.create, { as: 'project-member', body: { name: 'kept', size: GiB } })
    const notification_settings = { from: 'cloud@example.com', email_recipients_list: ['ops@example.com'] }
    const smtp_settings = { smtp_server: 'mail.example', port: 25, connection_security: 'none', account_name: 'us' }
    await server.call(notifications.save, {
      as,
      body: { notification_settings, smtp_settings: { ...smtp_settings, password: 'sealed secret' } } as never,
    })
    await vi.waitFor(async () =>
      expect((await server.call(volumes.view, { as: 'project-member', params: { id: disk.id } })).status).toBe(
        'available',
      ),
    )
    await begin()
    const { backups } = await runs(7)
    const { location } = backups[0]!
    const before = await readFile(location)
    const { config, done, drop } = await restored(location)
    expect(done.created_at <= new Date().toISOString()).toBe(true)
    // the disks of the virtual machines were kept
    const second = await startServer({
      keep: { folder: config.dataFolder, databaseUrl: config.databaseUrl },
      cast: server.cast,
    })
    try {
      const signedIn = await second.call(session.login, { body: { username: 'admin', password: PASSWORD } })
      expect(signedIn).toMatchObject({ name: 'admin' })
      const row = await second.call(volumes.view, { as: 'project-member', params: { id: disk.id } })
      expect(row).toMatchObject({ name: 'kept', status: 'available' })
      expect(await second.call(volumes.list, { as: 'project-member', query: { name: 'kept' } })).toMatchObject({
        data: [{ id: disk.id }],
      })
      expect(await second.call(notifications.view, { as })).toMatchObject({ smtp_settings: { has_password: true } })
      const secrets = (await second.tools.settings.secrets()).map((secret) => secret.reveal())
      expect(secrets).toContain('sealed secret')
      // the backup that was in progress at the time is not created again after the restore
      await vi.waitFor(async () => expect((await second.call(managementBackup.view, { as })).tasks).toEqual([]), {
        timeout: 45_000,
      })
      expect((await readFile(location)).equals(before)).toBe(true)
      // sequences continue from their last values
      await second.call(volumes.create, { as: 'project-member', body: { name: 'new', size: GiB } })
      expect((await verifyAudit(config, silentLogger)).fault).toBeNull()
      await expect(restoreBackup({ config, file: location, identity, log: silentLogger })).rejects.toThrow(
        /installation is not empty/,
      )
    } finally {
      await second.close()
      await drop()
      await rm(config.dataFolder, { recursive: true, force: true })
    }
  },
)

it('refuses another key, a damaged file and a file of another kind, and changes nothing', async () => {
  const { location } = (await view()).backups[0]!
  const other = await newKey()
  await expect(restored(location, other)).rejects.toThrow('The backup was encrypted with another key')
  await expect(restored(location, 'secret')).rejects.toThrow('It starts with AGE-SECRET-KEY-1')
  const copy = path.join(folder, 'copy')
  await writeFile(copy, await readFile(location))
  await truncate(copy, 40_000)
  await expect(restored(copy)).rejects.toThrow('The backup is damaged or incomplete')
  const bytes = await readFile(location)
  bytes[Math.floor(bytes.length / 2)]! ^= 1
  await writeFile(copy, bytes)
  await expect(restored(copy)).rejects.toThrow('The backup is damaged or incomplete')
  await writeFile(copy, 'not a backup')
  await expect(restored(copy)).rejects.toThrow('The file is not a management backup')
  await expect(restored(path.join(folder, 'none'))).rejects.toThrow(/ENOENT/)
  await chmod(copy, 0o600)
})
