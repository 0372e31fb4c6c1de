import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { images, type Image } from '@mainstay/contract/compute/images'
import { GiB, MiB } from '@mainstay/contract/core/bytes'
import type { ProblemBody } from '@mainstay/contract/core/problems'
import { volumes, type Volume } from '@mainstay/contract/storage/volumes'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { needs } from '../../../tools/lib/vitest/host-features'
import { signIn, type ApiClient } from './api-client'
import { testDatabase, type TestDatabase } from './postgres/postgres'
import { ADMIN_PASSWORD, removeData, startProgram, type ServerProgram } from './server-program'

/*
 * Runs the server as a separate process, with images and volumes on a tmpfs in its own mount namespace. The tests
 * change the size of the tmpfs, so that filling it costs no memory.
 */

/** Without root, mounting requires a user namespace. */
const asRoot = process.getuid?.() === 0
const unshare = ['unshare', '--mount', ...(asRoot ? [] : ['--user', '--map-root-user'])]

describe('a full disk', { timeout: 120_000, ...needs('mounts of its own', 'QEMU') }, () => {
  let database: TestDatabase
  let program: ServerProgram
  let member: ApiClient
  let kept: string

  beforeAll(async () => {
    database = await testDatabase()
    const folder = await mkdtemp(path.join(tmpdir(), 'mainstay-full-'))
    kept = path.join(folder, 'engine')
    await mkdir(kept)
    program = await startProgram({
      folder,
      hypervisor: 'qemu',
      environment: { DATABASE_URL: database.url },
      through: [...unshare, 'sh', '-c', `mount -t tmpfs -o size=2g tmpfs '${kept}' && exec "$@"`, 'sh'],
    })
    member = await signIn(program.url, { username: 'admin', password: ADMIN_PASSWORD, project: 'demo' })
  }, 180_000)
  afterAll(async () => {
    await program.stop()
    await removeData(program.folder)
    await database.drop()
  })

  /** Sets the size of the file system. */
  async function resize(bytes: number): Promise<void> {
    const enter = ['-t', String(program.pid), '-m', ...(asRoot ? [] : ['-U', '--preserve-credentials'])]
    await promisify(execFile)('nsenter', [...enter, 'mount', '-o', `remount,size=${bytes}`, kept])
  }
  /** The path as seen by the server. */
  const inside = (...names: string[]) => path.join(`/proc/${program.pid}/root`, kept, ...names)
  async function used(): Promise<number> {
    const enter = ['-t', String(program.pid), '-m', ...(asRoot ? [] : ['-U', '--preserve-credentials'])]
    const { stdout } = await promisify(execFile)('nsenter', [...enter, 'df', '--output=used', '-B1', kept])
    return Number(stdout.split('\n')[1])
  }
  const leave = async (bytes: number) => resize((await used()) + bytes)
  const files = async (...names: string[]) => (existsSync(inside(...names)) ? readdir(inside(...names)) : [])

  // the disk is large enough that the space runs out before the copy is complete
  const disk = randomBytes(128 * MiB)
  disk.fill(0, 0, 512)
  disk.set([0x55, 0xaa], 510)
  const headersOf = (name: string) => ({
    'x-auth-token': member.token,
    'content-type': 'application/octet-stream',
    'x-hci-image-name': btoa(name),
    'x-hci-image-disk-format': 'raw',
  })
  /** Sends the first half of the disk, and the rest after `meanwhile`. */
  async function upload(name: string, meanwhile?: () => Promise<void>) {
    const sending = request(`${program.url}${images.create.path}`, {
      method: 'POST',
      headers: { ...headersOf(name), 'content-length': disk.length },
    })
    const answered = new Promise<{ status: number; body: Image & ProblemBody }>((resolve, reject) => {
      // the response may arrive before everything is sent
      sending.on('error', reject)
      sending.on('response', (response) => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => void parts.push(part))
        response.on('end', () =>
          resolve({ status: response.statusCode!, body: JSON.parse(Buffer.concat(parts).toString()) as never }),
        )
      })
    })
    answered.catch(() => undefined)
    const half = disk.length / 2
    sending.write(disk.subarray(0, half))
    await vi.waitFor(async () => expect(await used()).toBeGreaterThan(half - MiB))
    await meanwhile?.()
    sending.end(disk.subarray(half))
    return answered
  }
  const volumeThatIs = (id: string, status: string): Promise<Volume> =>
    vi.waitFor(
      async () => {
        const volume = await member.call(volumes.view, { params: { id } })
        expect(volume.status).toBe(status)
        return volume
      },
      { timeout: 30_000, interval: 50 },
    )

  test('refuses an upload, leaves nothing behind, and accepts it once there is space', async () => {
    const { status, body } = await upload('no room', () => leave(MiB))
    expect({ status, code: body.error.err_code }).toEqual({ status: 507, code: 'disk_full' })
    expect(body.error.message).toMatch(/space|full/)
    expect((await member.call(images.list)).data).toEqual([])
    expect([...(await files('images')), ...(await files('uploads'))]).toEqual([])
    await resize(2 * GiB)
    expect((await upload('room again')).status).toBe(202)
    expect((await member.call(images.list)).data.map(({ name }) => name)).toEqual(['room again'])
  })

  test('reports why a volume failed, leaves no file behind, and creates it once there is space', async () => {
    const { id: image_id } = (await member.call(images.list)).data[0]!
    const body = { size: GiB, image_id }
    const before = (await files('volumes')).length
    // there is enough space at first, but not when the data is written
    const refused = await member.call(volumes.create, { body: { ...body, name: 'no room' } })
    await leave(64 * 1024)
    expect((await volumeThatIs(refused.id, 'error')).fault).toMatch(/space|full/)
    expect(await files('volumes')).toHaveLength(before)
    await expect(member.call(volumes.create, { body: { ...body, name: 'still no room' } })).rejects.toMatchObject({
      status: 507,
      code: 'disk_full',
    })
    await resize(2 * GiB)
    await member.call(volumes.delete, { params: { id: refused.id } })
    const made = await member.call(volumes.create, { body: { ...body, name: 'room again' } })
    await volumeThatIs(made.id, 'available')
    await vi.waitFor(async () =>
      expect((await member.call(volumes.list)).data.map(({ name }) => name)).toEqual(['room again']),
    )
    expect(process.kill(program.pid, 0)).toBe(true)
  })
})
