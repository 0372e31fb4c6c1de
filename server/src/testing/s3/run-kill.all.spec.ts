import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { s3Runs } from '@mainstay/contract/object-storage/s3-files'
import { s3Keys } from '@mainstay/contract/object-storage/s3-keys'
import { afterEach, expect, it } from 'vitest'
import { signIn } from '../api-client'
import { testDatabase, testPool } from '../postgres/postgres'
import { ADMIN_PASSWORD, removeData, startProgram, type ServerProgram } from '../server-program'

/* Kills a server while it moves a folder. */

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})
const Bucket = 'killed-runs'
const OBJECTS = 800

it('completes the move of a folder after a kill, with the correct count', { timeout: 300_000 }, async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'mainstay-s3-run-'))
  closers.push(() => removeData(folder))
  const database = await testDatabase()
  closers.push(() => database.drop())
  const pool = testPool(database, 2)
  closers.push(() => pool.end())
  let program: ServerProgram | null = null
  closers.push(async () => program?.kill())
  const start = async () => {
    program = await startProgram({
      ...{ folder, hypervisor: 'simulated', world: 'demo', environment: { DATABASE_URL: database.url } },
    })
    return signIn(program.url, { username: 'admin', password: ADMIN_PASSWORD, project: 'demo' })
  }
  let api = await start()
  const told = program!
  await expect.poll(() => told.said()).toMatch(/object storage +\S+/)
  const endpoint = /object storage +(\S+)/.exec(told.said())![1]!
  await api.call(s3Keys.account)
  const { acc_key: accessKeyId, sec_key: secretAccessKey } = await api.call(s3Keys.create, { body: {} })
  const credentials = { accessKeyId, secretAccessKey }
  const s3 = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials })
  closers.push(async () => s3.destroy())
  await s3.send(new CreateBucketCommand({ Bucket }))
  await pool.query(
    `insert into s3_object (bucket_id, key, size, etag, inline, head)
       select id, 'from/' || lpad(n::text, 6, '0'), 1, '9dd4e461268c8034f5c8564e155c67a6', 'x', '{"headers":{},"metadata":{}}'
         from s3_bucket, generate_series(1, $2::int) as n where name = $1`,
    [Bucket, OBJECTS],
  )
  const count = async (prefix: string) => {
    const { rows } = await pool.query<{ count: number }>(
      `select count(*)::int as count from s3_object where key like $1 || '%'`,
      [prefix],
    )
    return rows[0]!.count
  }

  const { id } = await api.call(s3Runs.create, {
    body: { action: 'move', bucket: Bucket, keys: ['from/'], to: { bucket: Bucket, folder: '', name: 'to' } },
  })
  await expect.poll(() => count('to/'), { timeout: 120_000, interval: 5 }).toBeGreaterThan(100)
  await program!.kill()
  // each object is in one of the two places, or in both
  const [left, moved] = [await count('from/'), await count('to/')]
  expect(left + moved).toBeGreaterThanOrEqual(OBJECTS)
  expect(left).toBeGreaterThan(0)
  api = await start()
  const view = () => api.call(s3Runs.view, { params: { id: id! } })
  await expect.poll(async () => (await view()).state, { timeout: 120_000 }).not.toBe('running')
  expect(await view()).toMatchObject({ state: 'success', done: OBJECTS, failed: 0, faults: [] })
  expect([await count('from/'), await count('to/')]).toEqual([0, OBJECTS])
})
