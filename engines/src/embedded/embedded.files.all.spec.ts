import { execFileSync } from 'node:child_process'
import { createReadStream, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { needs } from '../../../tools/lib/vitest/host-features'
import { imageDraft } from '../conformance/cloud'
import { processesBelow } from '../host/processes'
import { openEmbeddedCloud } from './embedded'
import { guestImage, openTestQemu, readerGuest } from './qemu/testbed'
import { memberOf, silent } from './testing/embedded-cloud'
import { openMemory } from './testing/memory'
import { seals } from './testing/seals'

const scope = memberOf('ours')
const patienceMs = 240_000
const memory = openMemory()
let folder: string
let cloud: Awaited<ReturnType<typeof open>>

async function open() {
  const hypervisor = await openTestQemu(folder)
  const server = memory.serve()
  const { records, jobs } = server
  const fileReader = readerGuest()
  const engine = await openEmbeddedCloud({ seals, records, jobs, hypervisor, folder, log: silent, fileReader })
  await engine.open()
  server.start()
  return { engine, server, ...engine.ports }
}

const readers = async () => [...(await processesBelow(join(folder, 'readers'))).values()].flat()
const leftFiles = () => [...readdirSync(join(folder, 'readers')), ...readdirSync(join(folder, 'points'))]

async function openedFiles(point: string) {
  await cloud.storage.backupFiles.open(scope, point)
  await vi.waitFor(
    async () =>
      expect(await cloud.storage.backupFiles.view(scope, point)).toMatchObject({ status: 'ready', fault: null }),
    patienceMs,
  )
  const { entries } = await cloud.storage.backupFiles.entries(scope, point, { file_system: 'disk', path: '/' })
  return entries
}

describe('on QEMU', needs('QEMU'), () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mainstay-files-'))
    cloud = await open()
  }, 600_000)
  afterAll(async () => {
    await cloud.engine.close()
    expect(await readers()).toEqual([])
    expect(leftFiles()).toEqual([])
    rmSync(folder, { recursive: true, force: true })
  })

  test('reads the files of a recovery point, and leaves nothing behind', { timeout: 900_000 }, async () => {
    const { compute, storage, server } = cloud
    const image = await compute.images.create(scope, imageDraft(), createReadStream(guestImage()))
    await server.idle()
    const disk = { name: 'data', description: '', size: 1024 ** 3, image_id: image.id, bootable: true }
    const volume = await storage.volumes.create(scope, disk)
    await server.idle()
    const order = { volume_ids: [volume.id], name: 'hourly', description: '', full: false, plan: null }
    const points = []
    for (let number = 0; number < 2; number++) {
      points.push((await storage.volumeBackups.createInstant(scope, order))[0]!.id)
      await server.idle()
    }
    // the second one only has changes
    const point = points[1]!

    const entries = await openedFiles(point)
    expect(await storage.backupFiles.fileSystems(scope, point)).toMatchObject([
      { id: 'disk', type: 'vfat', label: 'GUEST', readable: true },
    ])
    const kernel = entries.find(({ name }) => name === 'vmlinuz')!
    expect(kernel).toMatchObject({ kind: 'file', path: '/vmlinuz' })
    const raw = join(folder, 'guest.raw')
    execFileSync('qemu-img', ['convert', '-O', 'raw', guestImage(), raw])
    execFileSync('mcopy', ['-i', raw, '::/vmlinuz', join(folder, 'vmlinuz')])
    const file = await storage.backupFiles.read(scope, point, { file_system: 'disk', path: kernel.path })
    expect((await buffer(file.bytes)).equals(readFileSync(join(folder, 'vmlinuz')))).toBe(true)
    await expect(storage.backupFiles.view(memberOf('theirs'), point)).rejects.toMatchObject({ code: 'not_found' })

    // the reader dies: its session says so, and another one can be opened
    for (const pid of await readers()) process.kill(pid, 'SIGKILL')
    await vi.waitFor(async () =>
      expect(await storage.backupFiles.view(scope, point)).toMatchObject({
        ...{ status: 'failed', fault: expect.stringContaining('could not be read') },
      }),
    )
    await expect(storage.backupFiles.fileSystems(scope, point)).rejects.toMatchObject({
      code: 'file_system_unreadable',
    })
    await vi.waitFor(() => expect(leftFiles()).toEqual([]))

    await openedFiles(point)
    await storage.backupFiles.close(scope, point)
    await vi.waitFor(async () => expect(await readers()).toEqual([]))
    await vi.waitFor(() => expect(leftFiles()).toEqual([]))

    // a server that is killed leaves a reader, which the next one ends
    await openedFiles(point)
    server.kill()
    cloud = await open()
    await vi.waitFor(async () => expect(await readers()).toEqual([]))
    expect(leftFiles()).toEqual([])
    await expect(cloud.storage.backupFiles.view(scope, point)).rejects.toMatchObject({ code: 'invalid_state' })
  })
})
