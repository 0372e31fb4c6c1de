import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { startClientFixture, type ClientFixture } from '../client-fixture'
import { fakeCompute } from './compute'
import { fakeImages } from './images'
import { fakeNetworks } from './networks'
import { recordedRow } from './recorded-rows'
import { fakeVolumes } from './volumes'

/* Compares the rows of the fake services with rows recorded from a real cloud. */

const Rows = z.record(z.string(), z.array(z.record(z.string(), z.unknown())))
let client: ClientFixture
beforeAll(async () => {
  client = await startClientFixture()
  const volumes = fakeVolumes(client.fake)
  fakeCompute(client.fake, volumes)
  fakeImages(client.fake)
  fakeNetworks(client.fake)
})
afterAll(() => client.stop())

const made = z.record(z.string(), z.unknown())
const post = (service: 'compute' | 'volume' | 'image' | 'network', path: string, body: object) =>
  client.service().send('POST', service, path, made, { body })

/** Returns the recorded fields that a row lacks or has with a different type. */
function differing(row: Record<string, unknown>, recorded: Record<string, unknown>): string[] {
  const typeOf = (value: unknown) => (Array.isArray(value) ? 'list' : typeof value)
  const isLike = (one: unknown, other: unknown) => one === null || other === null || typeOf(one) === typeOf(other)
  return Object.entries(recorded).flatMap(([name, value]) =>
    name in row && isLike(row[name], value) ? [] : [`${name}: ${typeOf(value)}, not ${typeOf(row[name])}`],
  )
}

test.each([
  ['server', 'compute', '/servers', { server: { name: 'web', flavorRef: 'f1' } }, '/servers/detail', 'servers'],
  ['flavor', 'compute', '/flavors', { flavor: { name: 'own', vcpus: 1, ram: 64 } }, '/flavors/detail', 'flavors'],
  ['volume', 'volume', '/volumes', { volume: { name: 'disk', size: 1 } }, '/volumes/detail', 'volumes'],
  ['image', 'image', '/images', { name: 'picture' }, '/images', 'images'],
  ['port', 'network', '/ports', { port: { network_id: 'n1' } }, '/ports', 'ports'],
] as const)('lists a new %s with the fields that a real cloud returns', async (kind, service, path, body, at, key) => {
  const before = (await client.service().get(service, at, Rows))[key]!.length
  await post(service, path, body)
  const rows = (await client.service().get(service, at, Rows))[key]!
  expect(rows).toHaveLength(before + 1)
  // these fields were set only on the recorded image
  const { os_distro: _, os_type: __, os_admin_user: ___, description, ...recorded } = recordedRow(kind)
  const whole = kind === 'image' ? recorded : { ...recorded, ...(description !== undefined && { description }) }
  for (const row of rows) expect(differing(row, whole)).toEqual([])
})
