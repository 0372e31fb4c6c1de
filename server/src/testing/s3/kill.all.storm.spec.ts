import { createHash, randomBytes, randomInt } from 'node:crypto'
import { mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import {
  CreateBucketCommand,
  GetObjectCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { s3Keys } from '@mainstay/contract/object-storage/s3-keys'
import { afterEach, expect, it } from 'vitest'
import { signIn } from '../api-client'
import { testDatabase, testPool } from '../postgres/postgres'
import { ADMIN_PASSWORD, removeData, startProgram, type ServerProgram } from '../server-program'
import { rounds } from '../../../../tools/lib/tier.mjs'

/* Kills a server while objects are written. */

const kills = rounds({ gate: 2, all: 15, long: 50 })
const writers = rounds({ gate: 8, all: 24, long: 24 })
const [PLAIN, VERSIONED] = ['killed', 'killed-versions']
const KEYS_EACH = 5
/** Every other writer uses the versioned bucket. */
const bucketOf = (key: string) => (/^w\d*[13579]\//.test(key) ? VERSIONED : PLAIN)

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})
const md5 = (body: Buffer) => createHash('md5').update(body).digest('hex')

it(
  `keeps every acknowledged object intact after ${kills} kills, without orphaned files or rows`,
  { timeout: 60_000 + kills * 30_000 },
  async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'mainstay-s3-kill-'))
    closers.push(() => removeData(folder))
    const database = await testDatabase()
    closers.push(() => database.drop())
    const pool = testPool(database, 2)
    closers.push(() => pool.end())
    let program: ServerProgram | null = null
    closers.push(async () => program?.kill())
    const start = async (): Promise<string> => {
      program = await startProgram({
        folder,
        hypervisor: 'simulated',
        world: 'demo',
        environment: { DATABASE_URL: database.url },
      })
      const told = program
      // the line is printed right after the addresses that startProgram waits for
      await expect.poll(() => told.said()).toMatch(/object storage +\S+/)
      return /object storage +(\S+)/.exec(told.said())![1]!
    }

    let endpoint = await start()
    const api = await signIn(program!.url, { username: 'admin', password: ADMIN_PASSWORD, project: 'demo' })
    await api.call(s3Keys.account)
    const { acc_key: accessKeyId, sec_key: secretAccessKey } = await api.call(s3Keys.create, { body: {} })
    const client = () =>
      new S3Client({
        ...{ endpoint, region: 'us-east-1', forcePathStyle: true, maxAttempts: 1 },
        credentials: { accessKeyId, secretAccessKey },
      })
    await client().send(new CreateBucketCommand({ Bucket: PLAIN }))
    await client().send(new CreateBucketCommand({ Bucket: VERSIONED }))
    const VersioningConfiguration = { Status: 'Enabled' as const }
    await client().send(new PutBucketVersioningCommand({ Bucket: VERSIONED, VersioningConfiguration }))

    /** By key: the last acknowledged content, and the content being sent when the server was killed. */
    const answered = new Map<string, string>()
    const onItsWay = new Map<string, string>()
    let count = 0
    async function write(s3: S3Client, writer: number): Promise<void> {
      for (;;) {
        const Key = `w${writer}/${randomInt(KEYS_EACH)}`
        const Bucket = bucketOf(Key)
        const Body = randomBytes(randomInt(2) === 0 ? randomInt(4000) : randomInt(300_000))
        onItsWay.set(Key, md5(Body))
        try {
          await s3.send(new PutObjectCommand({ Bucket, Key, Body }))
        } catch {
          return
        }
        answered.set(Key, md5(Body))
        onItsWay.delete(Key)
        count += 1
      }
    }

    for (let kill = 0; kill < kills; kill++) {
      const s3 = client()
      const writing = Promise.all(Array.from({ length: writers }, (_, at) => write(s3, at)))
      await pause(300 + randomInt(1200))
      await program!.kill()
      await writing
      s3.destroy()
      endpoint = await start()
      const reader = client()
      for (const [Key, sum] of answered) {
        const { Body } = await reader.send(new GetObjectCommand({ Bucket: bucketOf(Key), Key }))
        const found = md5(Buffer.from(await Body!.transformToByteArray()))
        expect([Key, [sum, onItsWay.get(Key)]]).toEqual([Key, expect.arrayContaining([found])])
        answered.set(Key, found)
      }
      onItsWay.clear()
      reader.destroy()
    }
    await program!.stop()
    program = null
    expect(count).toBeGreaterThan(kills)

    const { rows } = await pool.query<{ file: string; must: boolean }>(
      `select blob::text as file, true as must from s3_object where blob is not null and parts = 0
       union all select blob::text, true from s3_noncurrent where blob is not null and parts = 0
       union all select file::text, true from s3_part
       union all select file::text, false from s3_garbage`,
    )
    const blobs = path.join(folder, 'engine', 's3', 'blobs')
    const files = (await readdir(blobs, { recursive: true })).flatMap((name) =>
      name.includes('/') ? [path.basename(name)] : [],
    )
    const known = new Set(rows.map(({ file }) => file))
    expect(files.filter((file) => !known.has(file))).toEqual([])
    const there = new Set(files)
    expect(rows.filter(({ file, must }) => must && !there.has(file))).toEqual([])
    const { rows: usage } = await pool.query<{ told: string; real: string }>(
      `select (select coalesce(sum(bytes), 0) from (select bytes from s3_usage union all select bytes from s3_usage_delta) each)::text as told,
         (select coalesce(sum(size), 0) from (select size from s3_object union all select size from s3_noncurrent) each)::text as real`,
    )
    expect(usage[0]!.told).toBe(usage[0]!.real)
    process.stdout.write(
      `${kills} kills, ${writers} writers: ${count} objects answered, ${answered.size} keys, none lost\n`,
    )
  },
)
