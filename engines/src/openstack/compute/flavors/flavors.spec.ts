import { Flavor } from '@mainstay/contract/compute/flavors'
import { GiB } from '@mainstay/contract/core/bytes'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { refusal } from '../../../conformance/cloud'
import { startEngineFixture, type EngineFixture } from '../../testing/engine-fixture'
import { fakeCompute } from '../../testing/fake-cloud/compute'
import { serverRefusal } from '../../testing/fake-cloud/servers'
import { fakeNetworks } from '../../testing/fake-cloud/networks'
import { fakeVolumes } from '../../testing/fake-cloud/volumes'
import { flavorCommands } from './commands'
import { flavorReader } from './shape'
import { instanceReader } from '../instances/reader'
import { openMetrics } from '../instances/stat'
import { computeQuotasOf, storageQuotasOf } from '../../quotas'
import { storageStatOf } from '../../storage/stat'
import { openNodes, statOf } from '../stat'

let fixture: EngineFixture

beforeEach(async () => {
  fixture = await startEngineFixture([flavorReader, instanceReader])
})
afterEach(() => fixture.close())

const startCompute = () => fakeCompute(fixture.cloud, fakeVolumes(fixture.cloud))
const nodes = (...found: { cores: number; ram: number }[]) => {
  fixture.cloud.on('placement', 'GET', '/resource_providers', () => ({
    body: { resource_providers: found.map((_, at) => ({ uuid: String(at) })) },
  }))
  fixture.cloud.on('placement', 'GET', '/resource_providers/:id/inventories', ({ params }) => {
    const { cores, ram } = found[Number(params['id'])]!
    return {
      body: {
        inventories: {
          VCPU: { total: cores, reserved: 0, allocation_ratio: 4, max_unit: cores },
          MEMORY_MB: { total: ram, reserved: 512, allocation_ratio: 1.5, max_unit: ram },
          DISK_GB: { total: 10, reserved: 0, allocation_ratio: 1, max_unit: 10 },
        },
      },
    }
  })
}

test('creates flavors with unique names, lists private flavors, and deletes flavors', async () => {
  const nova = startCompute()
  const flavors = flavorCommands(fixture.engine)
  const draft = { name: '2x', vcpus: 2, ram: 512, swap: 0 }
  const made = await flavors.create(fixture.operator, draft)
  expect(made).toEqual(Flavor.parse(made))
  expect(made).toMatchObject({ ...draft, is_public: true, extra_specs: {} })
  expect(await refusal(flavors.create(fixture.operator, draft))).toMatchObject({
    ...{ code: 'duplicate_name', fields: { name: [expect.any(String)] } },
  })
  const rows: Flavor[] = []
  for await (const page of flavorReader.all(fixture.engine.reading)) rows.push(...page)
  expect(rows).toHaveLength(nova.flavors.length)
  expect(rows.find(({ name }) => name === 'hidden')).toMatchObject({ is_public: false })
  await flavors.delete(fixture.operator, made.id)
  expect(fixture.index.size).toBe(0)
  expect(await refusal(flavors.delete(fixture.operator, made.id))).toMatchObject({ code: 'not_found' })
})

test("counts the cloud's reserved quota as used", async () => {
  startCompute()
  fixture.index.set('image/i1', { id: 'i1', project_id: 'p-demo', size: 5 })
  expect(await storageQuotasOf(fixture.engine, fixture.member, 'p-demo')).toEqual({
    volumes: { limit: 10, used: 2 },
    storage: { limit: 1000 * GiB, used: GiB },
    volumes_backups: { limit: 1000 * GiB, used: 0 },
  })
  expect(await computeQuotasOf(fixture.engine, fixture.member, 'p-demo')).toEqual({
    instances: { limit: 20, used: 0 },
    vcpus: { limit: 40, used: 0 },
    ram: { limit: 4096, used: 0 },
    images: { limit: -1, used: 1 },
    image_storage: { limit: -1, used: 5 },
  })
  for (const quotasOf of [computeQuotasOf, storageQuotasOf])
    expect(await refusal(quotasOf(fixture.engine, fixture.member, 'p-other'))).toMatchObject({ code: 'not_found' })
  expect(await computeQuotasOf(fixture.engine, fixture.operator, 'p-other')).toMatchObject({ images: { used: 0 } })
})

test('shows operators the overcommitted capacity of all nodes, and members their quota', async () => {
  const nova = startCompute()
  fakeNetworks(fixture.cloud)
  nodes({ cores: 2, ram: 4608 }, { cores: 8, ram: 2560 })
  const pool = { free_capacity_gb: 60.5 }
  fixture.cloud.on('volume', 'GET', '/scheduler-stats/get_pools', () => ({ body: { pools: [{ capabilities: pool }] } }))
  await fixture.engine.refresh(instanceReader, nova.add().id)
  fixture.index.set('volume/v1', { id: 'v1', project_id: 'p-demo', size: 2 * GiB, attachments: [] })
  const known = openNodes(fixture.engine.reading)
  expect(await statOf(fixture.engine, known, fixture.operator)).toEqual({
    servers: { total: 1, by_status: {} },
    vcpus: { used: 1, total: 40 },
    ram: { used: 64, total: 9216 },
  })
  expect(await storageStatOf(fixture.engine, fixture.operator)).toEqual({ used: 2 * GiB, total: 62 * GiB })
  expect(await statOf(fixture.engine, known, fixture.member)).toMatchObject({ vcpus: { used: 1, total: 40 } })
  expect(await storageStatOf(fixture.engine, fixture.member)).toEqual({ used: 2 * GiB, total: 1000 * GiB })
  expect((await known()).largest).toEqual({ max_vcpus: 8, max_ram: 4608 })
  expect(fixture.cloud.received.filter(({ service }) => service === 'placement').map(({ path }) => path)).toEqual([
    '/',
    '/resource_providers',
    '/resource_providers/0/inventories',
    '/resource_providers/1/inventories',
  ])
  Object.assign(pool, { free_capacity_gb: 'infinite' })
  expect(await storageStatOf(fixture.engine, fixture.operator)).toMatchObject({ total: -1 })
})

test('reads the metrics of an instance on demand, using the service account', async () => {
  const nova = startCompute()
  const { add } = fakeNetworks(fixture.cloud)
  const { id } = nova.add()
  const port = add({ device_id: id, device_owner: 'compute:nova' })
  await fixture.engine.refresh(instanceReader, id)
  let time = 1e9
  fixture.cloud.on('compute', 'GET', '/servers/:id/diagnostics', ({ token }) =>
    token?.user.name === 'service'
      ? {
          body: {
            cpu_details: [{ id: 0, time, utilisation: null }],
            disk_details: [{ read_bytes: 10, read_requests: 1, write_bytes: null, write_requests: null }],
            nic_details: [{ mac_address: port.mac_address, rx_octets: 5, tx_octets: 6 }],
          },
        }
      : serverRefusal(403, 'forbidden', 'Policy does not allow it'),
  )
  const stat = openMetrics(fixture.engine)
  const began = performance.now()
  expect(await stat(fixture.member, id)).toMatchObject({
    ...{ cpu_usage: null, mem_usage: null },
    disks: [{ read_bytes: 10, write_bytes: 0, read_ops: 1, write_ops: 0 }],
    nics: [{ id: port.id, rx_bytes: 5, tx_bytes: 6 }],
  })
  const between = performance.now()
  await new Promise((resolve) => setTimeout(resolve, 600))
  const shortestMs = performance.now() - between
  time += 0.3e9
  const { cpu_usage } = await stat(fixture.member, id)
  // 300 ms of CPU time, divided by the elapsed time
  expect(cpu_usage).toBeGreaterThanOrEqual(Math.floor(30_000 / (performance.now() - began)))
  expect(cpu_usage).toBeLessThanOrEqual(Math.ceil(30_000 / shortestMs))
  fixture.cloud.on('compute', 'GET', '/servers/:id/diagnostics', () =>
    serverRefusal(409, 'conflictingRequest', "Cannot 'get_diagnostics' instance while it is in power state 4"),
  )
  expect(await stat(fixture.member, id)).toMatchObject({ cpu_usage: null, disks: [], nics: [] })
})
