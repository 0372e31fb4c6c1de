import { hostname } from 'node:os'
import { GiB } from '@mainstay/contract/core/bytes'
import { tasks, taskIsOver } from '@mainstay/contract/core/tasks'
import { CLUSTER_ID } from '@mainstay/contract/infrastructure/clusters'
import { clusterSettings } from '@mainstay/contract/infrastructure/cluster-settings'
import { nodes } from '@mainstay/contract/infrastructure/nodes'
import { occupiedFailureDomains } from '@mainstay/contract/infrastructure/locations'
import { storageTiers } from '@mainstay/contract/infrastructure/tiers'
import { openCeph } from '@mainstay/engines/ceph/ceph'
import { recordedCeph, threeHosts } from '@mainstay/engines/ceph/testing/recorded-ceph'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { lineOf } from '../../../metrics/sample'
import { noStore, type MetricsStore } from '../../../metrics/store/metrics-store'
import { hostDisk } from '../../../testing/fake-hosts'
import { emptyMetricsStore } from '../../../testing/metrics-store'
import { startServer, type TestServer } from '../../../testing/start-server'
import { diskRow } from '../nodes/watcher/observed-rows'

const as = 'superuser'
const DAY_MS = 24 * 3600_000
const without = noStore('Install the package')
let current: MetricsStore = without
let server: TestServer
beforeAll(async () => {
  server = await startServer({
    metricsStore: {
      get advice() {
        return current.advice
      },
      ask: (...given) => current.ask(...given),
      // drop all samples except those taken by the tests
      push: async () => undefined,
      close: async () => undefined,
    },
  })
})
afterAll(() => server.close())
afterEach(() => {
  current = without
  vi.restoreAllMocks()
})

const list = () => server.call(storageTiers.list, { as })
const tier0 = async () => (await list()).tiers[0]!
const withSpace = (used: number, free: number) =>
  vi
    .spyOn(server.tools.ports.storage, 'tiers')
    .mockResolvedValue([{ ...{ tier: 0, folder: server.folder, used, free, copies: 1 }, failure_domain: 'disk' }])

it('shows the tier of this host: its folder, disk, space, copies, failure domain and encryption [UI-003]', async () => {
  const { used, free } = (await server.tools.ports.storage.tiers())![0]!
  expect(await list()).toMatchObject({
    reason: null,
    tiers: [
      {
        ...{ tier: 0, used, free, total: used + free, copies: 1, failure_domain: 'disk', encrypted: false },
        folder: expect.stringMatching(new RegExp(`^${server.folder}`)),
        ...{ devices: [], devices_unknown: { key: 'infrastructure.tier_devices_unknown' } },
      },
    ],
  })
  const [here] = (await server.call(nodes.list, { as })).data
  const disks = [hostDisk('sda', { holders: ['/boot', '/'] }), hostDisk('sdb', { holders: ['/mnt'] })]
  await server.tools.inventory.transaction(async (records) => {
    for (const disk of disks) await records.put('disk', diskRow(here!.id, disk, undefined))
  })
  expect(await tier0()).toMatchObject({ devices: ['sda'], devices_unknown: null })

  // the cluster is managed through its settings
  const body = { encryption: { tier0: true } }
  const { task_id } = await server.call(clusterSettings.save, { as, params: { scope: CLUSTER_ID }, body })
  await vi.waitFor(async () => {
    const { state } = await server.call(tasks.view, { as, params: { id: task_id! } })
    expect(taskIsOver(state)).toBe(true)
  }, 20_000)
  expect(await tier0()).toMatchObject({ encrypted: true })
})

it('says why the growth is not known: no store, a store that does not respond, or too few metrics', async () => {
  const unknown = (key: string) => ({
    ...{ growth: null, full_at: null },
    growth_unknown: { key: `infrastructure.${key}`, message: expect.any(String) },
  })
  expect(await tier0()).toMatchObject({
    ...unknown('tier_growth_no_store'),
    growth_unknown: { message: expect.stringMatching(/no metrics are stored\. Install the package/) },
  })
  current = { ...without, advice: null, ask: () => Promise.reject(new Error('away')) }
  expect(await tier0()).toMatchObject(unknown('tier_growth_away'))
  const ofDays = (...days: number[]) => {
    const values = days.map((day): [number, string] => [day * 86_400, '5'])
    const data = { resultType: 'matrix' as const, result: days.length > 0 ? [{ metric: {}, values }] : [] }
    return { ...without, advice: null, ask: async () => ({ status: 'success' as const, data }) }
  }
  for (const days of [[], [1], [1, 1.9]]) {
    current = ofDays(...days)
    expect(await tier0()).toMatchObject(unknown('tier_growth_short'))
  }
})

it('computes the growth from up to 30 days of metrics, and when 95% of the tier will be used', async () => {
  const store = await emptyMetricsStore()
  const sample = { name: 'mainstay_node_disk_used_bytes', labels: { node: hostname() } }
  const ofOther = { ...sample, labels: { node: 'another-host' }, value: 900 * GiB }
  const days = Array.from({ length: 20 }, (_, at) => at)
  await store.push(
    days.flatMap((ago) => {
      const at = Date.now() - ago * DAY_MS - 60_000
      return [lineOf({ ...sample, value: (500 - 10 * ago) * GiB }, at), lineOf(ofOther, at)]
    }),
  )
  await store.flush!()
  current = store
  withSpace(500 * GiB, 500 * GiB)
  const { growth, growth_unknown, full_at } = await tier0()
  expect(growth_unknown).toBeNull()
  expect(growth! / GiB).toBeCloseTo(10, 3)
  expect((Date.parse(full_at!) - Date.now()) / DAY_MS).toBeCloseTo(45, 1)
  withSpace(960 * GiB, 40 * GiB)
  expect(Math.abs(Date.parse((await tier0()).full_at!) - Date.now())).toBeLessThan(60_000)
})

it('returns no tiers, with the reason, if a cloud stores the data or nothing stores volumes', async () => {
  const { storage } = server.tools.areas
  try {
    vi.spyOn(server.tools.ports.storage, 'tiers').mockResolvedValue(null)
    Object.assign(server.tools.areas, { storage: { ...storage, engine: { ...storage.engine!, name: 'openstack' } } })
    expect(await list()).toMatchObject({
      ...{ tiers: [], reason: { key: 'infrastructure.tiers_of_cloud', values: { engine: 'openstack' } } },
    })
    Object.assign(server.tools.areas, { storage: { engine: null, advice: 'none' } })
    expect(await list()).toMatchObject({ tiers: [], reason: { key: 'infrastructure.tiers_without_volumes' } })
  } finally {
    Object.assign(server.tools.areas, { storage })
  }
})

it('lists the tiers of an attached Ceph cluster too, and says why if they are not known', async () => {
  const link = recordedCeph(threeHosts())
  const ceph = openCeph({ conf: '/etc/ceph/ceph.conf', keyring: null, user: 'client.admin' }, async () => link)
  try {
    Object.assign(server.tools, { ceph })
    const listed = await list()
    expect(listed.reason).toBeNull()
    expect(listed.tiers.map(({ store, tier }) => [store, tier])).toEqual([
      ...[
        ['host', 0],
        ['ceph', 1],
        ['ceph', 2],
      ],
    ])
    expect(listed.tiers[1]).toMatchObject({
      ...{ total: 2000 * 1024, folder: null, device_classes: ['ssd'], copies: 2, failure_domain: 'disk' },
      ...{ encrypted: true, growth_unknown: { key: 'infrastructure.tier_growth_ceph' } },
    })
    const { tiers: occupied } = await server.call(occupiedFailureDomains.view, { as })
    expect(occupied).toContainEqual({ tier: 2, store: 'ceph', disks: 3, hosts: 3, racks: 3, rows: 2, rooms: 2 })

    link.run = async () => ({ status: 127, out: '', err: '' })
    const away = openCeph({ conf: '/etc/ceph/ceph.conf', keyring: null, user: 'client.admin' }, async () => link)
    Object.assign(server.tools, { ceph: away })
    expect(await list()).toMatchObject({
      ...{ tiers: [{ store: 'host', tier: 0 }], reason: { key: 'infrastructure.ceph_program' } },
    })
  } finally {
    Object.assign(server.tools, { ceph: null })
  }
})

it('refuses calls without a storage cluster', async () => {
  const areas = { ...server.tools.areas }
  const none = { engine: null, advice: 'none' } as const
  try {
    Object.assign(server.tools.areas, { storage: none, 'object-storage': none })
    await expect(list()).rejects.toMatchObject({ code: 'no_cluster', message: expect.stringMatching(/^No cluster/) })
  } finally {
    Object.assign(server.tools.areas, areas)
  }
})

it('is available to operators only', async () => {
  for (const who of ['viewer', 'compute-operator'] as const)
    expect((await server.fetch(storageTiers.list, { as: who })).status).toBe(200)
  for (const who of ['domain-admin', 'project-admin', 'project-member'] as const)
    expect((await server.fetch(storageTiers.list, { as: who, at: 'admin' })).status).toBe(403)
})
