import { Flavor } from '@mainstay/contract/compute/flavors'
import { GiB } from '@mainstay/contract/core/bytes'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { refusal } from '../../../conformance/cloud'
import { startEngineGround, type EngineGround } from '../../testing/engine-ground'
import { pretendCompute } from '../../testing/pretended-compute'
import { serverRefusal } from '../../testing/pretended-servers'
import { pretendNetworks } from '../../testing/pretended-networks'
import { pretendVolumes } from '../../testing/pretended-volumes'
import { flavorCommands } from './commands'
import { flavorReader } from './shape'
import { instanceReader } from '../instances/reader'
import { openMetrics } from '../instances/stat'
import { computeQuotasOf, storageQuotasOf } from '../../quotas'
import { storageStatOf } from '../../storage/stat'
import { openNodes, statOf } from '../stat'

let ground: EngineGround

beforeEach(async () => {
  ground = await startEngineGround([flavorReader, instanceReader])
})
afterEach(() => ground.close())

const pretend = () => pretendCompute(ground.cloud, pretendVolumes(ground.cloud))
const nodes = (...found: { cores: number; ram: number }[]) => {
  ground.cloud.on('placement', 'GET', '/resource_providers', () => ({
    body: { resource_providers: found.map((_, at) => ({ uuid: String(at) })) },
  }))
  ground.cloud.on('placement', 'GET', '/resource_providers/:id/inventories', ({ params }) => {
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

test('a flavor is made once by its name, listed with those that are not for everybody, and deleted', async () => {
  const nova = pretend()
  const flavors = flavorCommands(ground.engine)
  const draft = { name: '2x', vcpus: 2, ram: 512, swap: 0 }
  const made = await flavors.create(ground.operator, draft)
  expect(made).toEqual(Flavor.parse(made))
  expect(made).toMatchObject({ ...draft, is_public: true, extra_specs: {} })
  expect(await refusal(flavors.create(ground.operator, draft))).toMatchObject({
    ...{ code: 'duplicate_name', fields: { name: [expect.any(String)] } },
  })
  const rows: Flavor[] = []
  for await (const page of flavorReader.all(ground.engine.reading)) rows.push(...page)
  expect(rows).toHaveLength(nova.flavors.length)
  expect(rows.find(({ name }) => name === 'hidden')).toMatchObject({ is_public: false })
  await flavors.delete(ground.operator, made.id)
  expect(ground.index.size).toBe(0)
  expect(await refusal(flavors.delete(ground.operator, made.id))).toMatchObject({ code: 'not_found' })
})

test('quotas are those of the cloud, with what is promised counted as used', async () => {
  pretend()
  ground.index.set('image/i1', { id: 'i1', project_id: 'p-demo', size: 5 })
  expect(await storageQuotasOf(ground.engine, ground.member, 'p-demo')).toEqual({
    volumes: { limit: 10, used: 2 },
    storage: { limit: 1000 * GiB, used: GiB },
  })
  expect(await computeQuotasOf(ground.engine, ground.member, 'p-demo')).toEqual({
    instances: { limit: 20, used: 0 },
    vcpus: { limit: 40, used: 0 },
    ram: { limit: 4096, used: 0 },
    images: { limit: -1, used: 1 },
    image_storage: { limit: -1, used: 5 },
  })
  for (const quotasOf of [computeQuotasOf, storageQuotasOf])
    expect(await refusal(quotasOf(ground.engine, ground.member, 'p-other'))).toMatchObject({ code: 'not_found' })
  expect(await computeQuotasOf(ground.engine, ground.operator, 'p-other')).toMatchObject({ images: { used: 0 } })
})

test('an operator sees what the nodes have, overcommitted as the cloud does it, and a member their quota', async () => {
  const nova = pretend()
  pretendNetworks(ground.cloud)
  nodes({ cores: 2, ram: 4608 }, { cores: 8, ram: 2560 })
  const pool = { free_capacity_gb: 60.5 }
  ground.cloud.on('volume', 'GET', '/scheduler-stats/get_pools', () => ({ body: { pools: [{ capabilities: pool }] } }))
  await ground.engine.refresh(instanceReader, nova.add().id)
  ground.index.set('volume/v1', { id: 'v1', project_id: 'p-demo', size: 2 * GiB, attachments: [] })
  const known = openNodes(ground.engine.reading)
  expect(await statOf(ground.engine, known, ground.operator)).toEqual({
    servers: { total: 1, by_status: {} },
    vcpus: { used: 1, total: 40 },
    ram: { used: 64, total: 9216 },
  })
  expect(await storageStatOf(ground.engine, ground.operator)).toEqual({ used: 2 * GiB, total: 62 * GiB })
  expect(await statOf(ground.engine, known, ground.member)).toMatchObject({ vcpus: { used: 1, total: 40 } })
  expect(await storageStatOf(ground.engine, ground.member)).toEqual({ used: 2 * GiB, total: 1000 * GiB })
  expect((await known()).largest).toEqual({ max_vcpus: 8, max_ram: 4608 })
  expect(ground.cloud.received.filter(({ service }) => service === 'placement').map(({ path }) => path)).toEqual([
    '/',
    '/resource_providers',
    '/resource_providers/0/inventories',
    '/resource_providers/1/inventories',
  ])
  Object.assign(pool, { free_capacity_gb: 'infinite' })
  expect(await storageStatOf(ground.engine, ground.operator)).toMatchObject({ total: -1 })
})

test('figures of one instance are asked for as it is looked at, by the service account', async () => {
  const nova = pretend()
  const { add } = pretendNetworks(ground.cloud)
  const { id } = nova.add()
  const port = add({ device_id: id, device_owner: 'compute:nova' })
  await ground.engine.refresh(instanceReader, id)
  let time = 1e9
  ground.cloud.on('compute', 'GET', '/servers/:id/diagnostics', ({ token }) =>
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
  const stat = openMetrics(ground.engine)
  const began = performance.now()
  expect(await stat(ground.member, id)).toMatchObject({
    ...{ cpu_usage: null, mem_usage: null },
    disks: [{ read_bytes: 10, write_bytes: 0, read_ops: 1, write_ops: 0 }],
    nics: [{ id: port.id, rx_bytes: 5, tx_bytes: 6 }],
  })
  const between = performance.now()
  await new Promise((resolve) => setTimeout(resolve, 600))
  const shortestMs = performance.now() - between
  time += 0.3e9
  const { cpu_usage } = await stat(ground.member, id)
  // 300 ms of processor time in what went by
  expect(cpu_usage).toBeGreaterThanOrEqual(Math.floor(30_000 / (performance.now() - began)))
  expect(cpu_usage).toBeLessThanOrEqual(Math.ceil(30_000 / shortestMs))
  ground.cloud.on('compute', 'GET', '/servers/:id/diagnostics', () =>
    serverRefusal(409, 'conflictingRequest', "Cannot 'get_diagnostics' instance while it is in power state 4"),
  )
  expect(await stat(ground.member, id)).toMatchObject({ cpu_usage: null, disks: [], nics: [] })
})
