import { randomUUID } from 'node:crypto'
import type { FakeCloud, Received } from './cloud'
import { recordedRow } from './recorded-rows'
import { serverRefusal, type FakeFlavor, type FakeServers } from './servers'
import type { FakeVolumes } from './volumes'

/** Serves the flavors, key pairs and quotas that the commands use. */
export function serveFlavorsAndKeys(cloud: FakeCloud, cinder: FakeVolumes, fake: FakeServers): void {
  const { flavors, keys } = fake
  cloud.on('compute', 'GET', '/flavors/:id', ({ params }) => {
    const flavor = flavors.find(({ id }) => id === params['id'])
    return flavor ? { body: { flavor } } : serverRefusal(404, 'itemNotFound', 'Flavor could not be found.')
  })
  cloud.on('compute', 'GET', '/flavors/detail', () => ({ body: { flavors } }))
  cloud.on('compute', 'POST', '/flavors', ({ body }) => {
    const { flavor } = body as { flavor: FakeFlavor }
    if (flavors.some(({ name }) => name === flavor.name)) {
      return serverRefusal(409, 'conflictingRequest', `Flavor with name ${flavor.name} already exists.`)
    }
    const made = { ...recordedRow('flavor'), ...flavor, id: randomUUID() }
    flavors.push(made)
    return { body: { flavor: made } }
  })
  cloud.on('compute', 'DELETE', '/flavors/:id', ({ params }) => {
    const at = flavors.findIndex(({ id }) => id === params['id'])
    if (at < 0) return serverRefusal(404, 'itemNotFound', 'Flavor could not be found.')
    flavors.splice(at, 1)
    return { status: 202 }
  })
  const keyOf = ({ token, query, params }: Received) => `${query.get('user_id') ?? token!.user.id}/${params['name']}`
  const noKey = serverRefusal(404, 'itemNotFound', 'Keypair not found')
  cloud.on('compute', 'GET', '/os-keypairs', ({ query }) => ({
    body: {
      keypairs: [...keys.values()]
        .filter(({ user_id }) => user_id === query.get('user_id'))
        .map(({ name, public_key }) => ({ keypair: { name, public_key } })),
    },
  }))
  cloud.on('compute', 'GET', '/os-keypairs/:name', (call) => {
    const keypair = keys.get(keyOf(call))
    return keypair ? { body: { keypair } } : noKey
  })
  cloud.on('compute', 'POST', '/os-keypairs', ({ body, token }) => {
    const { name, public_key } = (body as { keypair: { name: string; public_key: string } }).keypair
    const user_id = token!.user.id
    if (keys.has(`${user_id}/${name}`)) {
      return serverRefusal(409, 'conflictingRequest', `Key pair '${name}' already exists.`)
    }
    keys.set(`${user_id}/${name}`, { name, public_key, user_id, created_at: '2026-11-21T20:00:00.000000' })
    return { status: 201, body: { keypair: { name } } }
  })
  cloud.on('compute', 'DELETE', '/os-keypairs/:name', (call) => (keys.delete(keyOf(call)) ? { status: 204 } : noKey))
  cloud.on('compute', 'GET', '/os-quota-sets/:id/detail', () => ({
    body: {
      quota_set: Object.fromEntries(
        Object.entries(fake.quotas).map(([name, limit]) => [name, { limit, in_use: 0, reserved: 0 }]),
      ),
    },
  }))
  cloud.on('volume', 'GET', '/volumes/detail', () => ({ body: { volumes: [...cinder.volumes.values()] } }))
  cloud.on('volume', 'GET', '/os-quota-sets/:id', () => ({
    body: {
      quota_set: {
        volumes: { limit: 10, in_use: 1, reserved: 1 },
        gigabytes: { limit: 1000, in_use: 1, reserved: 0 },
        backup_gigabytes: { limit: 1000, in_use: 0, reserved: 0 },
      },
    },
  }))
}
