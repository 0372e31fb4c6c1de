import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { images, type Image } from '@mainstay/contract/compute/images'
import { MiB } from '@mainstay/contract/core/bytes'
import { isoImage } from '@mainstay/engines/embedded/qemu/disks/iso9660'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { needs } from '../../../tools/lib/vitest/host-features'
import { signIn, type ApiClient } from './api-client'
import { testDatabase, type TestDatabase } from './postgres/postgres'
import { ADMIN_PASSWORD, removeData, startProgram, type ServerProgram } from './server-program'

/** Maximum CPU time of the main thread in one turn of the event loop. */
const MOST_OF_A_TURN_MS = 50
const SIZE = 64 * MiB
const formats = { raw: 'raw', qcow2: 'qcow2', vmdk: 'vmdk', vhd: 'vpc', iso: 'iso' } as const

const options = { timeout: 120_000, ...needs('QEMU', 'scheduling statistics') }

describe('uploading a 64 MiB image', options, () => {
  let folder: string
  let database: TestDatabase
  let program: ServerProgram
  let member: ApiClient

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'mainstay-turns-'))
    const disk = randomBytes(SIZE)
    disk.fill(0, 0, 512)
    disk.set([0x55, 0xaa], 510)
    await writeFile(path.join(folder, 'image.raw'), disk)
    await writeFile(path.join(folder, 'image.iso'), isoImage('installer', { content: disk }))
    for (const format of ['qcow2', 'vmdk', 'vpc'])
      await promisify(execFile)('qemu-img', [
        ...['convert', '-f', 'raw', '-O', format, path.join(folder, 'image.raw'), path.join(folder, `image.${format}`)],
      ])
    database = await testDatabase()
    const probe = new URL('./price/longest-turn.mjs', import.meta.url).href
    program = await startProgram({
      folder: path.join(folder, 'data'),
      hypervisor: 'qemu',
      environment: { DATABASE_URL: database.url, NODE_OPTIONS: `--import ${probe}` },
    })
    member = await signIn(program.url, { username: 'admin', password: ADMIN_PASSWORD, project: 'demo' })
  }, 180_000)
  afterAll(async () => {
    await program.stop()
    await removeData(program.folder)
    await rm(folder, { recursive: true, force: true })
    await database.drop()
  })

  let asked = 0
  /** Returns the longest turn of the server since the previous call, in milliseconds. */
  async function longestTurn(): Promise<number> {
    process.kill(program.pid, 'SIGUSR2')
    const pattern = new RegExp(`longest turn ${++asked}: (\\S+) ms`)
    return vi.waitFor(() => Number(pattern.exec(program.said())![1]))
  }

  /** Returns the longest turn of the server during an upload, in milliseconds. */
  async function turnOfUpload(name: string, file: string): Promise<number> {
    await longestTurn()
    const response = await fetch(`${program.url}${images.create.path}`, {
      method: 'POST',
      headers: {
        'x-auth-token': member.token,
        'content-type': 'application/octet-stream',
        'x-hci-image-name': btoa(name),
      },
      body: await openAsBlob(file),
    })
    const made = (await response.json()) as Image
    expect(response.status, JSON.stringify(made)).toBe(202)
    await vi.waitFor(
      async () => expect((await member.call(images.view, { params: { id: made.id } })).status).toBe('active'),
      { timeout: 60_000, interval: 100 },
    )
    return longestTurn()
  }

  test.each(Object.keys(formats) as (keyof typeof formats)[])('does not block the event loop as %s', async (name) => {
    const file = path.join(folder, `image.${formats[name]}`)
    expect((await stat(file)).size).toBeGreaterThanOrEqual(SIZE)
    // take the shortest of several tries: garbage collection may prolong a turn, but the cost of the upload is always
    // included
    let longest = Infinity
    for (let tries = 3; longest >= MOST_OF_A_TURN_MS && tries > 0; tries--) {
      longest = Math.min(longest, await turnOfUpload(name, file))
    }
    process.stdout.write(`${name}: the longest turn took ${longest} ms\n`)
    expect(longest).toBeLessThan(MOST_OF_A_TURN_MS)
  })
})
