import { Quotas } from '@mainstay/contract/compute/quotas'
import { GiB, MiB, TiB } from '@mainstay/contract/core/bytes'
import { instances } from '@mainstay/contract/compute/instances'
import { page } from '@mainstay/contract/core/lists/paging'
import { networks } from '@mainstay/contract/networking/networks'
import { storagePolicies } from '@mainstay/contract/storage/storage-policies'
import { Volume, volumes } from '@mainstay/contract/storage/volumes'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { PersonaName } from '../../testing/personas'
import { startServer, type TestServer } from '../../testing/start-server'

let server: TestServer
const as = 'project-member'
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const create = (name: string, size = GiB) => server.call(volumes.create, { as, body: { name, size } })
const view = (id: string) => server.call(volumes.view, { as, params: { id } })
const available = (id: string) =>
  vi.waitFor(async () => {
    const volume = await view(id)
    expect(volume.status).toBe('available')
    return volume
  })

it('returns 202 and a volume in the status creating, which later becomes available [CA-046] [CA-047]', async () => {
  const response = await server.fetch(volumes.create, { as, body: { name: 'data', size: 3 * GiB } })
  const made = Volume.parse(await response.json())
  expect([response.status, made.status]).toEqual([202, 'creating'])
  const volume = await available(made.id)
  expect(Volume.parse(volume)).toEqual(volume)
  expect(volume).toMatchObject({ name: 'data', size: 3 * GiB, bootable: false, attachments: [] })
})

it('lists the engine’s storage policies, which are read-only', async () => {
  const policy = { id: 'default', name: 'default', tier: null, redundancy: null, failure_domain: null, qos: {} }
  for (const who of [as, 'viewer', 'superuser'] as const)
    expect(await server.call(storagePolicies.list, { as: who })).toMatchObject({ data: [policy], pages: [] })
  expect(await server.call(storagePolicies.view, { as, params: { id: 'default' } })).toMatchObject(policy)
  const token = await server.signIn('superuser')
  for (const method of ['POST', 'PATCH', 'DELETE']) {
    const path = `${storagePolicies.list.path}${method === 'POST' ? '' : '/default'}`
    expect((await fetch(`${server.url}${path}`, { method, headers: { 'x-auth-token': token } })).status).toBe(404)
  }
})

it('finds volumes by the name or ID of their storage policy, even if the two differ', async () => {
  const { tools } = server
  const { id } = await create('of-a-policy')
  const policy = await server.call(storagePolicies.view, { as, params: { id: 'default' } })
  const records = tools.inventory
  await records.transaction((tx) => tx.put('storage_policy', { ...policy, id: 'an-id', name: 'default' }))
  await records.transaction((tx) => tx.put('storage_policy', { ...policy, id: 'hidden', is_public: false }))
  const found = async (query: object) => {
    const { data } = await server.call(volumes.list, { as, query: { ...query, name: 'of-a-policy' } })
    return data.map((row) => row.id)
  }
  for (const query of [{ storage_policy: 'default' }, { volume_type: 'default' }, { storage_policy_id: 'default' }])
    expect(await found(query)).toEqual([id])
  expect(await found({ storage_policy_id: 'an-id' })).toEqual([id])
  // no volumes are found by a policy that the caller cannot see
  expect(await found({ storage_policy_id: 'hidden' })).toEqual([])
  await expect(found({ storage_policy_id: 'an-id', volume_type: 'default' })).rejects.toMatchObject({
    code: 'invalid_filter',
    fields: { storage_policy_id: [expect.any(String)] },
  })
  await records.transaction(async (tx) => {
    for (const row of ['an-id', 'hidden']) await tx.remove('storage_policy', row)
  })
})

it('lists volumes page by page [CA-045]', async () => {
  for (const name of ['page-1', 'page-2', 'page-3']) await create(name)
  const query = { name: 'page', sort: 'name:desc', limit: 2, with_count: true }
  const first = await server.call(volumes.list, { as, query })
  expect(page(Volume).parse(first)).toEqual(first)
  expect([first.count, first.data.map(({ name }) => name)]).toEqual([3, ['page-3', 'page-2']])
  const rest = await server.call(volumes.list, { as, query: { ...query, marker: first.pages[0]!.marker } })
  expect([rest.pages, rest.data.map(({ name }) => name)]).toEqual([[], ['page-1']])
})

it('updates a volume with PATCH and PUT [CA-048]', async () => {
  const { id } = await available((await create('before')).id)
  const patched = await server.call(volumes.update, { as, params: { id }, body: { name: 'after' } })
  expect(Volume.parse(patched)).toMatchObject({ name: 'after', bootable: false })
  const put = await server.fetch({ ...volumes.update, verb: 'PUT' }, { as, params: { id }, body: { bootable: true } })
  expect(put.status).toBe(200)
  expect(await view(id)).toMatchObject({ name: 'after', bootable: true })
})

it('extends a volume but does not shrink it', async () => {
  const { id } = await available((await create('growing', 2 * GiB)).id)
  const extend = (size: number) => server.call(volumes.extend, { as, params: { id }, body: { size } })
  for (const size of [GiB, 2 * GiB])
    await expect(extend(size)).rejects.toMatchObject({ fields: { size: [expect.any(String)] } })
  await extend(5 * GiB)
  await vi.waitFor(async () => expect(await view(id)).toMatchObject({ status: 'available', size: 5 * GiB }))
})

it('deletes a volume, which is then not found [CA-049]', async () => {
  const { id } = await available((await create('leaving')).id)
  const response = await server.fetch(volumes.delete, { as, params: { id } })
  expect([response.status, Volume.parse(await response.json()).status]).toEqual([202, 'deleting'])
  await vi.waitFor(async () => expect((await server.fetch(volumes.view, { as, params: { id } })).status).toBe(404))
  await expect(server.call(volumes.delete, { as, params: { id } })).rejects.toMatchObject({ code: 'not_found' })
})

it.each([
  ['half a GiB', GiB / 2],
  ['more than 512 TiB', 513 * TiB],
  ['1 GiB plus 1 byte', GiB + 1],
])('refuses a size of %s with an error on the field', async (_, size) => {
  await expect(create('size', size)).rejects.toMatchObject({ status: 400, fields: { size: expect.any(Array) } })
})

it.each([['a'], ['a'.repeat(256)]])('refuses the name “%.10s…” with an error on the field', async (name) => {
  await expect(create(name)).rejects.toMatchObject({ status: 400, fields: { name: expect.any(Array) } })
})

it('refuses a volume that exceeds the quota and reports the limit, the usage and the requested size', async () => {
  const own = 'other-member'
  await server.call(volumes.create, { as: own, body: { name: 'most', size: 1000 * GiB } })
  await expect(server.call(volumes.create, { as: own, body: { name: 'more', size: 25 * GiB } })).rejects.toMatchObject({
    code: 'quota_exceeded',
    status: 409,
    data: { resource: 'storage', limit: TiB, used: 1000 * GiB, requested: 25 * GiB },
  })
})

/** Returns a minimal bootable raw disk. */
function bootSector(): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(MiB)
  bytes.set([0x55, 0xaa], 510)
  return bytes
}

it('returns a project’s quota usage in the format that clients expect [CA-044]', async () => {
  const who = 'domain-admin@alpha-two' as const
  const { id } = server.cast.projects['alpha-two']!
  const ask = async (asker: PersonaName) =>
    fetch(`${server.url}/api/v2/compute/quotas/${id}/?usage=True`, {
      headers: { 'x-auth-token': await server.signIn(asker) },
    })
  const told = async () => Quotas.parse(await (await ask(who)).json())
  expect(await told()).toMatchObject({
    compute: { instances: { used: 0 }, cores: { used: 0 }, ram: { used: 0 } },
    storage: { volumes: { used: 0 }, storage_policies: { default: { limit: TiB, used: 0 } } },
    ...{ image: { images: { used: 0 }, image_storage: { used: 0 } } },
    network: { networks: { used: 0 }, subnets: { used: 0 }, ports: { used: 0 } },
  })
  await server.call(volumes.create, { as: who, body: { name: 'counted', size: 3 * GiB } })
  const subnets = [{ cidr: '10.0.0.0/24' }, { cidr: 'fd00:1::/64' }]
  const net = await server.call(networks.createPrivate, { as: who, body: { name: 'counted', subnets } })
  const blank = { source: 'blank' as const, size: GiB, boot_index: 0 }
  await server.call(instances.create, {
    as: who,
    body: { name: 'counted', count: 2, flavor: 's1.tiny', networks: [{ id: net.id }], volumes: [blank] },
  })
  await fetch(`${server.url}/api/v2/compute/images`, {
    ...{ method: 'POST', body: bootSector() },
    headers: {
      ...{ 'x-auth-token': await server.signIn('compute-operator@alpha-two') },
      ...{ 'content-type': 'application/octet-stream', 'x-hci-image-name': Buffer.from('counted').toString('base64') },
    },
  })
  expect(await told()).toMatchObject({
    compute: { instances: { used: 2 }, cores: { used: 2 }, ram: { used: GiB } },
    storage: { volumes: { used: 3 }, storage_policies: { default: { limit: TiB, used: 5 * GiB } } },
    image: { images: { used: 1 }, image_storage: { used: MiB } },
    // the network also has its own port
    network: { networks: { used: 1 }, subnets: { used: 2 }, ports: { used: 3 } },
  })
  expect((await ask('superuser')).status).toBe(200)
  expect((await ask('other-member')).status).toBe(404)
})

it('lets only operators reset the status of a volume', async () => {
  const { id } = await available((await create('stuck')).id)
  const reset = (who: typeof as | 'superuser') =>
    server.fetch(volumes.resetState, { as: who, params: { id }, body: {} })
  expect((await reset(as)).status).toBe(403)
  expect((await reset('superuser')).status).toBe(200)
})
