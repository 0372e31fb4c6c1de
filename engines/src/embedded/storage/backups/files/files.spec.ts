import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GiB } from '@mainstay/contract/core/bytes'
import { expect, onTestFinished, test, vi } from 'vitest'
import { memberOf, openSimulatedCloud } from '../../../testing/embedded-cloud'

const scope = memberOf('ours')

async function startCloud(options: Parameters<typeof openSimulatedCloud>[0]) {
  const cloud = await openSimulatedCloud(options)
  onTestFinished(() => cloud.close())
  const { storage, server } = cloud
  const draft = { name: 'data', description: '', size: GiB, image_id: null, bootable: false }
  const volume = await storage.volumes.create(scope, draft)
  await server.idle()
  const { id } = await storage.volumeBackups.create(scope, {
    volume_id: volume.id,
    name: 'a',
    description: '',
    full: false,
  })
  await server.idle()
  return { ...cloud, id, files: storage.backupFiles }
}

test('a session that is not used ends, and its files are removed', { tags: 'all' }, async () => {
  const { files, id, folder } = await startCloud({ limits: { filesSessionMs: 5_000 } })
  await files.open(scope, id)
  await vi.waitFor(async () => expect(await files.view(scope, id)).toMatchObject({ status: 'ready' }))
  expect(readdirSync(join(folder, 'readers'))).toHaveLength(1)
  await vi.waitFor(async () => expect(await files.view(scope, id).catch(({ code }) => code)).toBe('invalid_state'))
  await vi.waitFor(() => expect(readdirSync(join(folder, 'readers'))).toEqual([]))
  expect(readdirSync(join(folder, 'points'))).toEqual([])
})

test('says why the reader could not be built', async () => {
  const place = mkdtempSync(join(tmpdir(), 'mainstay-reader-'))
  onTestFinished(() => rmSync(place, { recursive: true }))
  const script = join(place, 'build.sh')
  writeFileSync(script, `echo 'file-reader: please install: cpio' >&2; exit 1`)
  const { files, id } = await startCloud({ fileReader: { script, image: join(place, 'image') } })
  await files.open(scope, id)
  await vi.waitFor(async () =>
    expect(await files.view(scope, id)).toMatchObject({
      ...{ status: 'failed', fault: expect.stringContaining('please install: cpio') },
    }),
  )
  expect(existsSync(join(place, 'image'))).toBe(false)
  // it can be tried again
  writeFileSync(script, 'exit 0')
  await files.open(scope, id)
  await vi.waitFor(async () => expect(await files.view(scope, id)).toMatchObject({ status: 'ready', fault: null }))
})
