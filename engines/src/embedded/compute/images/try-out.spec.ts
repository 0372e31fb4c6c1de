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
  folder = mkdtempSync(join(tmpdir(), 'mainstay-try-out-'))
  memory = openMemory()
  said = []
  log = { ...silent, warn: (fields, message) => void said.push(`${message}: ${JSON.stringify(fields)}`) }
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const image = () => join(folder, 'guest.img')
const runs = () => (existsSync(join(folder, 'runs')) ? readFileSync(join(folder, 'runs'), 'utf8').length : 0)

/** A stand-in for the script that builds the guest. It records each run. */
function script(lines: string): string {
  const path = join(folder, 'build.sh')
  writeFileSync(join(folder, 'disk'), rawDisk())
  writeFileSync(path, `printf . >> '${folder}/runs'\n${lines}\n`)
  return path
}
const copies = () => script(`cp '${folder}/disk' "$1"`)
const start = (build: string) =>
  openSimulatedCloud({ memory, folder: join(folder, 'cloud'), log, tryOutGuest: { image: image(), script: build } })
const images = () => memory.all<Image>('image')
const offered = () => until('the guest', async () => images().find(({ status }) => status === 'active'))

test('creates a public, tagged try-out guest on the first start', async () => {
  const cloud = await start(copies())
  const guest = await offered()
  expect(guest).toMatchObject({ name: 'Try-out guest', visibility: 'public', tags: ['try-out'], min_ram: 96 })
  const member = memberOf('somebody')
  const { bytes, fileName } = await cloud.compute.images.download(member, guest.id)
  expect(fileName).toBe('Try-out guest.raw')
  expect(Buffer.concat(await bytes.toArray())).toEqual(rawDisk())
  await cloud.close()
})

test('creates the guest only once: not again on the next start, even if an operator has deleted it', async () => {
  let cloud = await start(copies())
  const guest = await offered()
  await cloud.server.idle()
  await cloud.engine.close()
  cloud.server.kill()
  cloud = await start(copies())
  await cloud.server.idle()
  await cloud.compute.images.delete(memberOf('admin', { kind: 'system' }), guest.id)
  await cloud.engine.close()
  cloud.server.kill()
  cloud = await start(copies())
  await cloud.close()
  expect(images()).toEqual([])
  expect(runs()).toBe(1)
})

test('does not delay the start, and stops building the guest when the cloud closes', async () => {
  const cloud = await start(script(`sleep 600`))
  await until('the script', async () => runs() === 1)
  expect(images()).toEqual([])
  await cloud.close()
  expect(said).toEqual([])
})

test('logs why the guest could not be built, and retries on the next start', async () => {
  const failing = await start(script(`echo 'guest-image: please install: mtools' >&2; exit 1`))
  await until('the warning', async () => said.length > 0)
  await failing.engine.close()
  failing.server.kill()
  expect(said).toEqual([expect.stringMatching(/no try-out guest.*please install: mtools/)])
  expect(images()).toEqual([])
  const cloud = await start(copies())
  await offered()
  await cloud.close()
})
