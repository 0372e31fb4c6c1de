import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import type { Instance } from '@mainstay/contract/compute/instances'
import { cloudAccess } from '@mainstay/engines/openstack/testing/cloud-access'
import { signInPlainly, type PlainClient } from '@mainstay/engines/openstack/testing/plain-client'
import { setTraits } from '@mainstay/engines/openstack/testing/sweep'
import { fixturePrefix } from '@mainstay/engines/openstack/testing/cloud-fixture'
import type { Entity } from '@mainstay/engines/ports/records'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openCloudServer } from '../testing/cloud-server'
import type { Tools } from '../tools'

/* Measures how long the index takes to show changes made with a real cloud's own tools. */

const announces = Boolean(process.env['OPENSTACK_NOTIFICATIONS_URL'])
/** Maximum delay in milliseconds between the cloud's API and the index. */
const promisedMs = announces ? 1_000 : 10_000
const rounds = 5

let server: { tools: Tools; close(): Promise<void> }
let admin: PlainClient
let instance: string | null = null

beforeAll(async () => {
  admin = await signInPlainly(cloudAccess(process.env))
  server = await openCloudServer()
  await until('everything to be read', async () => (await server.tools.engineStates.all())[0]?.read_at, 120_000)
}, 300_000)
afterAll(async () => {
  if (instance) await admin.call('compute', 'DELETE', `/servers/${instance}`)
  await server?.close()
}, 300_000)

async function until<Found>(
  what: string,
  look: () => Promise<Found>,
  patienceMs = 60_000,
): Promise<NonNullable<Found>> {
  for (const end = Date.now() + patienceMs; Date.now() < end; await pause(20)) {
    const found = await look()
    if (found) return found
  }
  throw new Error(`waited ${patienceMs} ms in vain for ${what}`)
}

const row = async (kind: string, id: string): Promise<Entity | null> =>
  (await server.tools.inventory.rowsOf(server.tools.inventory.kinds.get(kind)!, [id])).get(id) ?? null
const statusInCloud = async (id: string) =>
  (await admin.call<{ server: { status: string } }>('compute', 'GET', `/servers/${id}`)).server.status

/** Milliseconds between the cloud's API and the index reporting a status. */
async function lagOf(id: string, status: Instance['status']): Promise<number> {
  const seenAt = async (look: () => Promise<unknown>) => {
    await until(`${id} to be ${status}`, async () => (await look()) === status)
    return Date.now()
  }
  const [there, here] = await Promise.all([
    seenAt(() => statusInCloud(id)),
    seenAt(async () => (await row('server', id))?.['status']),
  ])
  return Math.max(0, here - there)
}

test(`the index shows a server's new state at most ${promisedMs} ms after the cloud`, async () => {
  const [engine] = await server.tools.engineStates.all()
  expect(engine).toMatchObject({ view: 'feed', by: announces ? 'notifications' : 'polling' })
  const images = await admin.list<{ id: string; size: number; min_ram: number }>(
    'image',
    '/images?visibility=public&status=active',
    'images',
  )
  const flavors = await admin.list<{ id: string; ram: number }>('compute', '/flavors/detail', 'flavors')
  const [smallest] = flavors
    .toSorted((one, other) => one.ram - other.ram)
    .flatMap((flavor) =>
      images.filter((it) => it.size > 0 && it.min_ram <= flavor.ram).map((image) => ({ flavor, image })),
    )
  if (!smallest) throw new Error('the cloud has no public image that fits one of its flavors')
  const made = await admin.call<{ server: { id: string } }>('compute', 'POST', '/servers', {
    server: {
      name: `${fixturePrefix}lag`,
      imageRef: smallest.image.id,
      flavorRef: smallest.flavor.id,
      networks: 'none',
    },
  })
  instance = made.server.id
  const { id } = made.server
  await until('the server in the index', () => row('server', id))
  const lags = [await lagOf(id, 'ACTIVE')]
  for (let round = 0; round < rounds; round++) {
    await admin.call('compute', 'POST', `/servers/${id}/action`, { pause: null })
    lags.push(await lagOf(id, 'PAUSED'))
    await admin.call('compute', 'POST', `/servers/${id}/action`, { unpause: null })
    lags.push(await lagOf(id, 'ACTIVE'))
  }
  process.stdout.write(`behind the cloud's own API by ${lags.join(', ')} ms\n`)
  // use the median, because the cloud, its guests and this test share two cores
  expect(lags.toSorted((one, other) => one - other)[Math.floor(lags.length / 2)]).toBeLessThan(promisedMs)

  await admin.call('compute', 'DELETE', `/servers/${id}`)
  instance = null
  await until('the server to be gone', async () => (await row('server', id)) === null)
  // the cloud reports a deletion shortly before its own lists omit the server
  const listed = () => admin.list<{ id: string }>('compute', `/servers?name=${fixturePrefix}lag`, 'servers')
  await until('the cloud’s lists to be without it', async () => (await listed()).every((it) => it.id !== id))
})

test('follows a volume that is created, renamed and deleted outside Mainstay', async () => {
  const { volume } = await admin.call<{ volume: { id: string } }>('volume', 'POST', '/volumes', {
    volume: { name: `${fixturePrefix}lag`, size: 1 },
  })
  await until('the volume', async () => (await row('volume', volume.id))?.['status'] === 'available')
  await admin.call('volume', 'PUT', `/volumes/${volume.id}`, { volume: { name: `${fixturePrefix}renamed` } })
  await until('its name', async () => (await row('volume', volume.id))?.['name'] === `${fixturePrefix}renamed`)
  await admin.call('volume', 'DELETE', `/volumes/${volume.id}`)
  await until('it to be gone', async () => (await row('volume', volume.id)) === null)
})

test('follows a network and its subnet that are created and deleted outside Mainstay', async () => {
  const { network } = await admin.call<{ network: { id: string } }>('network', 'POST', '/networks', {
    network: { name: `${fixturePrefix}lag` },
  })
  await until('the network', () => row('network', network.id))
  const { subnet } = await admin.call<{ subnet: { id: string } }>('network', 'POST', '/subnets', {
    subnet: { network_id: network.id, ip_version: 4, cidr: '10.92.0.0/24' },
  })
  await until('the subnet', () => row('subnet', subnet.id))
  await until('the network to have it', async () =>
    ((await row('network', network.id))?.['subnets'] as { id: string }[] | undefined)?.some(
      ({ id }) => id === subnet.id,
    ),
  )
  await admin.call('network', 'DELETE', `/networks/${network.id}`)
  await until('both to be gone', async () =>
    [await row('network', network.id), await row('subnet', subnet.id)].every((it) => it === null),
  )
})

test('follows a placement that is created, assigned and deleted outside Mainstay, without notifications', async () => {
  // the interval between reads of placements is 20 times the duration of a read, but at least 15 s
  const patienceMs = 240_000
  const trait = 'CUSTOM_CONFORMANCE_LAG'
  const { hypervisors } = await admin.call<{ hypervisors: { id: string }[] }>('compute', 'GET', '/os-hypervisors')
  const node = hypervisors[0]!.id
  await until('the node', () => row('compute_node', node))
  await admin.call('placement', 'PUT', `/traits/${trait}`)
  try {
    await until(
      'the placement',
      async () => (await row('placement', trait))?.['name'] === 'CONFORMANCE_LAG',
      patienceMs,
    )
    await setTraits(admin, node, (traits) => [...traits, trait])
    const carried = async () => String((await row('compute_node', node))?.['traits']).includes(trait)
    await until('the node to carry it', carried, patienceMs)
    await until(
      'it to know the node',
      async () => String((await row('placement', trait))?.['nodes']) === node,
      patienceMs,
    )
    await setTraits(admin, node, (traits) => traits.filter((it) => it !== trait))
    await until('the node to be without it', async () => !(await carried()), patienceMs)
  } finally {
    await setTraits(admin, node, (traits) => traits.filter((it) => it !== trait))
    await admin.call('placement', 'DELETE', `/traits/${trait}`)
  }
  await until('it to be gone', async () => (await row('placement', trait)) === null, patienceMs)
}, 900_000)

test('follows an image that is created and deleted outside Mainstay', async () => {
  const image = await admin.call<{ id: string }>('image', 'POST', '/images', {
    name: `${fixturePrefix}lag`,
    disk_format: 'raw',
    container_format: 'bare',
  })
  await until('the image', () => row('image', image.id))
  await admin.call('image', 'DELETE', `/images/${image.id}`)
  await until('it to be gone', async () => (await row('image', image.id)) === null)
})
