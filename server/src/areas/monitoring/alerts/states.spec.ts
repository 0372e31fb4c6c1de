import { randomUUID } from 'node:crypto'
import { computeNodes } from '@mainstay/contract/compute/nodes'
import { nodes, type Node } from '@mainstay/contract/infrastructure/nodes'
import { instances, type Instance } from '@mainstay/contract/compute/instances'
import { GiB, MiB } from '@mainstay/contract/core/bytes'
import { taskKind, type Task } from '@mainstay/contract/core/tasks'
import { alertRules, AlertType, type AlertRule } from '@mainstay/contract/monitoring/alert-rules'
import { alerts, type Alert } from '@mainstay/contract/monitoring/alerts'
import { volumes, type Volume } from '@mainstay/contract/storage/volumes'
import type { Entity } from '@mainstay/engines/ports/records'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { lineOf } from '../../../metrics/sample'
import type { MetricsStore } from '../../../metrics/store/metrics-store'
import { balancerRow } from '../../../testing/load-balancing-rows'
import { emptyMetricsStore } from '../../../testing/metrics-store'
import { networkRow, routerRow } from '../../../testing/networking-rows'
import { startServer, type TestServer } from '../../../testing/start-server'
import { connectionRow } from '../../../testing/vpn-rows'
import { newNode, noLink } from '../../infrastructure/nodes/node-rows'
import { evaluateAlerts } from './evaluate'
import type { AlertTools } from './found'

const operator = 'superuser'
const tenant = 'project-member'
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

/** Returns open alerts, except those about the load of the test host, which varies. */
async function raisedIn(server: TestServer): Promise<Alert[]> {
  const { data } = await server.call(alerts.list, { as: operator, query: { limit: 500, state: 'raised' } })
  return data.filter(({ type }) => !type.startsWith('node_high_'))
}

/** Starts a server on which only the tests evaluate rules. */
async function quietServer(options: Parameters<typeof startServer>[0] = {}): Promise<TestServer> {
  const server = await startServer(options)
  await server.tools.scheduler.close()
  return server
}

it('reports all problems of a degraded installation right after the server starts', async () => {
  const server = await startServer({ world: 'degraded' })
  await vi.waitFor(async () =>
    expect(await server.call(alerts.evaluation, { as: tenant })).toEqual({
      evaluated_at: expect.any(String),
      is_current: true,
    }),
  )
  const raised = await raisedIn(server)
  const names = (type: AlertType) => raised.flatMap((it) => (it.type === type ? [it.object_name] : [])).toSorted()
  expect(names('vm_error')).toEqual(['crashed', 'never-built', 'old-erp'])
  expect(names('vm_stuck')).toEqual(['stuck-building', 'stuck-shutting-down'])
  expect(names('volume_error')).toEqual(['broken', 'cannot-be-deleted', 'half-made'])
  expect(names('volume_stuck')).toEqual(['stuck-creating'])
  expect(names('node_down')).toEqual(['simulated-2'])
  expect(names('storage_nearly_full')).toEqual([])
  const [full] = raised.filter(({ type }) => type === 'storage_full')
  expect(full).toMatchObject({ severity: 'critical', group: 'storage', unit: 'percent', project_id: null })
  expect(full!.value).toBeGreaterThan(99)
  expect(full!.details).toMatch(/^\d+(\.\d)? GiB of \d+(\.\d)? GiB used, 600 MiB free\.$/)
  const stuck = raised.find(({ object_name }) => object_name === 'stuck-shutting-down')!
  expect(stuck.details).toBe('Its status is ACTIVE (powering-off).')
  // the time is measured from the last progress of the instance, not from the start of the server
  expect(Date.parse(stuck.datetime)).toBeLessThan(Date.now() - 30 * 60_000)
  // alerts about nodes and storage do not belong to a project
  const told = await server.call(alerts.list, { as: operator, query: { limit: 500, object_kind: 'in:node,storage' } })
  expect(told.data.map(({ project_id }) => project_id)).toEqual([null, null])
  await server.close()
})

describe('an installation without problems', () => {
  let store: MetricsStore
  let server: TestServer
  let owner: { project_id: string; domain_id: string }
  const evaluate = (more: Partial<AlertTools> = {}) => evaluateAlerts({ ...server.tools, ...more })

  beforeAll(async () => {
    store = await emptyMetricsStore()
    server = await quietServer({ metricsStore: { ...store, push: async () => undefined } })
    const { id: project_id, domain_id } = server.cast.projects['alpha-one']!
    owner = { project_id, domain_id }
  })
  afterAll(() => server.close())

  const put = (kind: string, row: object) =>
    server.tools.inventory.from('embedded').transaction((records) => records.put(kind, row as Entity))
  const remove = (kind: string, id: string) =>
    server.tools.inventory.from('embedded').transaction((records) => records.remove(kind, id))
  const about = async (object_id: string) =>
    (await server.call(alerts.list, { as: operator, query: { object_id } })).data.map(({ type, state }) => [
      type,
      state,
    ])
  const changeRule = (id: AlertType, change: Partial<AlertRule>) =>
    server.call(alertRules.save, { as: operator, body: { id, ...change } as never })

  const machine = async (name: string): Promise<Instance> => {
    const volume = { source: 'blank', size: GiB, boot_index: 0 } as const
    const body = { name, flavor: 's1.nano', networks: [], volumes: [volume] }
    const { id } = await server.call(instances.create, { as: tenant, body })
    return vi.waitFor(async () => {
      const row = await server.call(instances.view, { as: operator, params: { id } })
      expect(row).toMatchObject({ status: 'ACTIVE', task_state: null })
      return row
    })
  }
  const volume = async (name: string): Promise<Volume> => {
    const { id } = await server.call(volumes.create, { as: tenant, body: { name, size: GiB } })
    return vi.waitFor(async () => {
      const row = await server.call(volumes.view, { as: operator, params: { id } })
      expect(row.status).toBe('available')
      return row
    })
  }
  const balancer = () => {
    const front = networkRow(owner, 'front', ['10.5.0.0/24'])
    return balancerRow(owner, 'shop', front, '10.5.0.50', 'shop-port')
  }

  it('raises no alerts, even if all durations are 0', async () => {
    const { id } = await machine('idle')
    await volume('spare')
    await put('load_balancer', balancer())
    const labels = { ...owner, server_id: id }
    const figures = { cpu_usage_ratio: 0.01, mem_usage_bytes: 60 * MiB, mem_bytes: 128 * MiB }
    const samples = Object.entries(figures).map(([name, value]) => ({ name: `mainstay_vm_${name}`, labels, value }))
    await store.push(samples.map((sample) => lineOf(sample, Date.now() - 2000)))
    await store.flush!()
    for (const type of AlertType.options) await changeRule(type, { duration_seconds: 0 })
    await evaluate()
    // `raisedIn` ignores alerts about the load of the test host
    expect(await raisedIn(server)).toEqual([])
    await remove('load_balancer', 'shop')
  })

  it('raises an alert for stuck work and closes it when the work continues', async () => {
    for (const id of ['vm_stuck', 'volume_stuck', 'task_stuck'] as const)
      await changeRule(id, { duration_seconds: 1800 })
    const [web, data] = [await machine('web'), await volume('data')]
    const shutting = { ...web, task_state: 'powering-off' }
    await put('server', { ...shutting, updated: minutesAgo(29) })
    await put('volume', { ...data, status: 'extending', updated_at: minutesAgo(29) })
    await evaluate()
    expect(await about(web.id)).toEqual([])
    expect(await about(data.id)).toEqual([])
    await put('server', { ...shutting, updated: minutesAgo(31) })
    await put('volume', { ...data, status: 'extending', updated_at: minutesAgo(31) })
    // long copying is not stuck as long as it makes progress
    const task = (subject: object, more: Partial<Task>) => ({
      ...{
        id: randomUUID(),
        name: 'storage.volume.extend',
        state: 'running',
        args: [subject],
        kwargs: {},
        event: null,
      },
      ...{ result: null, progress: 40, error: null, flow: null, cancellable: false, user_id: null, ...owner },
      ...{ created_at: minutesAgo(300), updated_at: minutesAgo(1), finished_at: null },
      ...more,
    })
    const copy = task({ kind: 'volume', id: data.id, name: 'data' }, {})
    await put(taskKind.name, { ...copy, task_id: copy.id })
    await evaluate()
    expect(await about(web.id)).toEqual([['vm_stuck', 'raised']])
    expect(await about(data.id)).toEqual([])
    await put(taskKind.name, { ...copy, task_id: copy.id, updated_at: minutesAgo(31) })
    const report = task(
      { kind: 'report', id: 'r1', name: 'Report' },
      { name: 'report.make', updated_at: minutesAgo(31) },
    )
    await put(taskKind.name, { ...report, task_id: report.id })
    await evaluate()
    // the volume's own rule covers this, so the task raises no second alert
    expect(await about(data.id)).toEqual([['volume_stuck', 'raised']])
    expect(await about(copy.id)).toEqual([])
    expect(await about(report.id)).toEqual([['task_stuck', 'raised']])

    await put('server', web)
    await put('volume', data)
    for (const id of [copy.id, report.id]) await remove(taskKind.name, id)
    for (const id of ['vm_stuck', 'volume_stuck', 'task_stuck'] as const) await changeRule(id, { duration_seconds: 0 })
    await evaluate()
    expect(await about(web.id)).toEqual([['vm_stuck', 'closed']])
    expect(await about(data.id)).toEqual([['volume_stuck', 'closed']])
    expect(await about(report.id)).toEqual([['task_stuck', 'closed']])
  })

  it('does not treat objects that wait for the user as stuck', async () => {
    const web = await machine('resized')
    await put('server', { ...web, status: 'VERIFY_RESIZE', updated: minutesAgo(3000) })
    await evaluate()
    expect(await about(web.id)).toEqual([])
    await put('server', web)
  })

  it('raises alerts for failed objects with the reason and closes them when the objects recover', async () => {
    const disk = await volume('disk')
    const shop = balancer()
    const edge = routerRow(owner, 'edge', [], null)
    const tunnel = connectionRow(owner, 'branch', edge, [['10.5.0.0/24'], ['10.6.0.0/24']])
    const works: [kind: string, row: Entity][] = [
      ['volume', disk],
      ['load_balancer', shop],
      ['ipsec_site_connection', tunnel],
    ]
    const reasons: object[] = [
      { status: 'error_extending', fault: 'The store is full' },
      { status: 'ERROR', fault: 'The standby does not start' },
      { status: 'DOWN', reason: 'The peer does not respond', status_changed_at: minutesAgo(6) },
    ]
    for (const [at, [kind, row]] of works.entries()) await put(kind, { ...row, ...reasons[at] })
    await evaluate()
    const raised = (await server.call(alerts.list, { as: tenant, query: { state: 'raised', limit: 100 } })).data
    const shown = raised.map(({ type, object_kind, object_name, details }) =>
      [type, object_kind, object_name, details].join(' '),
    )
    expect(shown.toSorted()).toEqual([
      'balancer_error load_balancer shop The standby does not start',
      'volume_error volume disk The store is full',
      'vpn_down ipsec_site_connection branch The peer does not respond',
    ])
    for (const [kind, row] of works) await put(kind, row)
    await evaluate()
    expect(await raisedIn(server)).toEqual([])
    for (const [kind, row] of works.slice(1)) await remove(kind, row.id)
  })

  it('raises an alert for an unresponsive host and closes it when the host responds again', async () => {
    const node = {
      ...{ id: randomUUID(), host: 'rack-2', host_ip: null, state: 'down', traits: [] },
      hypervisor: { status: 'enabled', hypervisor_type: 'simulated' },
    }
    const follow = () => server.tools.nodeWatch.round()
    await put('compute_node', node)
    await follow()
    await evaluate()
    expect(await about('rack-2')).toEqual([['node_down', 'raised']])
    await put('compute_node', { ...node, state: 'up' })
    await follow()
    await evaluate()
    expect(await about('rack-2')).toEqual([['node_down', 'closed']])
    await remove('compute_node', node.id)
    await follow()
    expect((await server.call(computeNodes.list, { as: operator })).data).toHaveLength(1)
  })

  it('raises an alert if the compute service of a registered host does not respond, unless the host is in maintenance', async () => {
    const id = randomUUID()
    const { inventory } = server.tools
    const link = { ...noLink, by: 'ssh' as const }
    const node = newNode({ id, host: 'rack-3', link, is_online: true, is_assigned: true })
    const write = (change: Partial<Node>) => inventory.transaction((tx) => tx.put('node', { ...node, ...change }))
    const service = { hypervisor: { status: 'enabled', hypervisor_type: 'simulated' }, traits: [] }
    await put('compute_node', { id, host: 'rack-3', host_ip: null, state: 'down', fenced_reason: null, ...service })
    const since = new Date().toISOString()
    for (const serviced of [
      { activity: 'installing' as const },
      { maintenance: { state: 'suspended' as const, since, task_id: null } },
    ]) {
      await write(serviced)
      await evaluate()
      expect(await about('rack-3')).toEqual([])
    }
    await write({})
    await evaluate()
    expect(await about('rack-3')).toEqual([['node_down', 'raised']])
    await remove('compute_node', id)
    await evaluate()
    expect(await about('rack-3')).toEqual([['node_down', 'closed']])
    await inventory.transaction((tx) => tx.remove('node', id))
  })

  it('raises alerts for a wrong clock and a failing disk of a host', async () => {
    const [node] = (await server.call(nodes.list, { as: operator })).data as [Node]
    const disk = {
      ...{ id: randomUUID(), node_id: node.id, device: 'sdb', model: 'ST4000', serial_number: 'Z1', type: 'hdd' },
      ...{ role: 'none', disk_status: 'failed', space: { used: null, size: GiB }, service_params: { tier: null } },
    }
    const { inventory } = server.tools
    const write = (change: Partial<Node>) => inventory.transaction((tx) => tx.put('node', { ...node, ...change }))
    await write({ clock_offset_ms: -7200_000, clock_synchronized: false })
    await inventory.transaction((tx) => tx.put('disk', disk))
    await evaluate()
    const told = await raisedIn(server)
    expect(told.map(({ type, details }) => `${type}: ${details}`).toSorted()).toEqual([
      'node_clock_wrong: Its clock is not synchronized.',
      'node_disk_failed: ST4000, Z1',
    ])
    // while the host is offline, the state of its clock and its disks is not known
    await write({ is_online: false, clock_offset_ms: null, clock_synchronized: null })
    await inventory.transaction((tx) => tx.put('disk', { ...disk, disk_status: 'unavail' }))
    await evaluate()
    expect((await raisedIn(server)).map(({ type }) => type).toSorted()).toEqual([
      'node_clock_wrong',
      'node_disk_failed',
    ])
    await write({ clock_offset_ms: 3, clock_synchronized: true })
    await inventory.transaction((tx) => tx.remove('disk', disk.id))
    await evaluate()
    expect(await raisedIn(server)).toEqual([])
  })

  it('raises an alert for nearly full storage and replaces it with another when the storage is full', async () => {
    const used = async (percent: number, total = 100 * GiB) => {
      const stat = async () => ({ used: (total * percent) / 100, total })
      await evaluate({ ports: { ...server.tools.ports, storage: { ...server.tools.ports.storage, stat } } })
      return (await raisedIn(server)).flatMap(({ type, details }) =>
        type.startsWith('storage') ? [[type, details]] : [],
      )
    }
    const nearly = ['storage_nearly_full', '86 GiB of 100 GiB used, 14 GiB free.']
    expect(await used(84)).toEqual([])
    expect(await used(86)).toEqual([nearly])
    expect(await used(96)).toEqual([['storage_full', '96 GiB of 100 GiB used, 4 GiB free.']])
    expect((await used(84)).map(([type]) => type)).toEqual([])
    // unlimited storage is never full
    expect(await used(100, -1)).toEqual([])
  })
})
