import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Image } from '@mainstay/contract/compute/images'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { until } from '../../../conformance/cloud'
import { rawDisk } from '../../../conformance/images'
import type { Log } from '../../../ports/records'
import { memberOf, openSimulatedCloud, silent } from '../../testing/embedded-cloud'
import { openMemory, type Memory } from '../../testing/memory'

let folder: string
let memory: Memory
let said: string[]
let log: Log
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mainstay-sample-'))
  memory = openMemory()
  said = []
  log = { ...silent, warn: (fields, message) => void said.push(`${message}: ${JSON.stringify(fields)}`) }
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const image = () => join(folder, 'sample.img')
const runs = () => (existsSync(join(folder, 'runs')) ? readFileSync(join(folder, 'runs'), 'utf8').length : 0)

/** Returns a script that replaces the one which builds the image. It records each run. */
function script(lines: string): string {
  const path = join(folder, 'build.sh')
  writeFileSync(join(folder, 'disk'), rawDisk())
  writeFileSync(path, `printf . >> '${folder}/runs'\n${lines}\n`)
  return path
}
const copies = () => script(`cp '${folder}/disk' "$1"`)
const start = (build: string) =>
  openSimulatedCloud({ memory, folder: join(folder, 'cloud'), log, sampleImage: { image: image(), script: build } })
const images = () => memory.all<Image>('image')
const offered = () => until('the image', async () => images().find(({ status }) => status === 'active'))

test('creates a public, tagged sample image on the first start', async () => {
  const cloud = await start(copies())
  const sample = await offered()
  expect(sample).toMatchObject({ name: 'Sample image', visibility: 'public', tags: ['sample-image'], min_ram: 96 })
  const member = memberOf('somebody')
  const { bytes, fileName } = await cloud.compute.images.download(member, sample.id)
  expect(fileName).toBe('Sample image.raw')
  expect(Buffer.concat(await bytes.toArray())).toEqual(rawDisk())
  await cloud.close()
})

test('creates the image only once: not again on the next start, even if an operator has deleted it', async () => {
  let cloud = await start(copies())
  const sample = await offered()
  await cloud.server.idle()
  await cloud.engine.close()
  cloud.server.kill()
  cloud = await start(copies())
  await cloud.server.idle()
  await cloud.compute.images.delete(memberOf('admin', { kind: 'system' }), sample.id)
  await cloud.engine.close()
  cloud.server.kill()
  cloud = await start(copies())
  await cloud.close()
  expect(images()).toEqual([])
  expect(runs()).toBe(1)
})

test('does not delay the start, and stops building the image when the cloud closes', async () => {
  const cloud = await start(script(`sleep 600`))
  await until('the script', async () => runs() === 1)
  expect(images()).toEqual([])
  await cloud.close()
  expect(said).toEqual([])
})

test('logs why the image could not be built, and retries on the next start', async () => {
  const failing = await start(script(`echo 'guest-image: please install: mtools' >&2; exit 1`))
  await until('the warning', async () => said.length > 0)
  await failing.engine.close()
  failing.server.kill()
  expect(said).toEqual([expect.stringMatching(/no sample image.*please install: mtools/)])
  expect(images()).toEqual([])
  const cloud = await start(copies())
  await offered()
  await cloud.close()
})

/** Restarts a cloud whose image has the name and tag of the first release, and `change`. */
async function upgrade(change: Partial<Image>, { isRecorded }: { isRecorded: boolean }) {
  const former = await start(copies())
  const { id } = await offered()
  await former.server.idle()
  await former.server.records.transaction(async (tx) => {
    const image = (await tx.lock<Image>('image', id))!
    await tx.put('image', { ...image, name: 'Try-out guest', tags: ['try-out', 'ours'], ...change })
    if (!isRecorded) await tx.removePrivate('try-out-guest', 'image')
  })
  await former.engine.close()
  former.server.kill()
  const cloud = await start(copies())
  await cloud.server.idle()
  await until('the tag', async () => images().some(({ tags }) => tags.includes('sample-image')))
  return { id, cloud }
}

test.each([true, false])(
  'keeps the image of the first release under the current name and tag; recorded: %s',
  async (isRecorded) => {
    const { id, cloud } = await upgrade({}, { isRecorded })
    await cloud.close()
    expect(images()).toEqual([expect.objectContaining({ id, name: 'Sample image', tags: ['sample-image', 'ours'] })])
    expect(runs()).toBe(1)
  },
)

test('keeps the name that an operator gave to the image of the first release', async () => {
  const { cloud } = await upgrade({ name: 'Tiny' }, { isRecorded: true })
  await cloud.close()
  expect(images()).toEqual([expect.objectContaining({ name: 'Tiny', tags: ['sample-image', 'ours'] })])
})
