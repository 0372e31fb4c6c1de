import type { Instance } from '@mainstay/contract/compute/instances'
import { problem } from '@mainstay/contract/core/problems'
import { defaultModes } from '@mainstay/contract/infrastructure/node-maintenance'
import type { Entity } from '@mainstay/engines/ports/records'
import { expect, it, vi } from 'vitest'
import type { Tools } from '../../../../tools'
import { newNode, noLink } from '../node-rows'
import { enteringMaintenance } from './enter-job'
import { hasOtherHosts } from './machines'
import { precheck } from './precheck'
import { closeNode, openNode } from './scheduling'
import { startAgain } from './start-again'

const machine = (id: string, more: object = {}) => ({
  ...{ id, name: id, host: 'node-1', status: 'ACTIVE', task_state: null, host_status: 'UP' },
  ...{ has_pci_devices: false, flavor: { extra_specs: {} } },
  ...more,
})

/** Returns the value at a dotted path. */
const at = (row: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], row)

type Start = (given: unknown, id: string) => Promise<void>

/** An in-memory cloud with two hosts and these virtual machines. Its commands only mark the virtual machines. */
function cloudWith(machines: ReturnType<typeof machine>[]) {
  const kinds = new Map<string, Map<string, Entity>>()
  const kept = new Map<string, unknown>()
  const rowsOf = (kind: string) => {
    const rows = kinds.get(kind) ?? new Map<string, Entity>()
    kinds.set(kind, rows)
    return rows
  }
  const put = (kind: string, row: Entity) => void rowsOf(kind).set(row.id, row)
  const of = (kind: string, id: string) => rowsOf(kind).get(id)
  const tx = {
    get: async (kind: string, id: string) => of(kind, id),
    lock: async (kind: string, id: string) => of(kind, id),
    put: async (kind: string, row: Entity) => put(kind, row),
    find: async (kind: string, query: object) =>
      [...rowsOf(kind).values()].filter((row) =>
        Object.entries(query).every(([field, value]) => at(row, field) === value),
      ),
    getPrivate: async (_: string, id: string) => kept.get(id) ?? null,
    putPrivate: async (_: string, id: string, value: unknown) => void kept.set(id, value),
  }
  for (const row of machines) put('server', row)
  for (const at of [1, 2]) {
    const link = { ...noLink, by: 'engine' as const }
    put('node', newNode({ id: `n${at}`, host: `node-${at}`, link, is_online: true, is_assigned: true }))
    put('compute_node', {
      id: `n${at}`,
      host: `node-${at}`,
      state: 'up',
      fenced_reason: null,
      hypervisor: { status: 'enabled' },
    })
  }
  const set = (id: string, more: object) => put('server', { ...of('server', id)!, ...more })
  const migrate = vi.fn(async (_: unknown, id: string) => set(id, { status: 'MIGRATING', task_state: 'migrating' }))
  const start = vi.fn<Start>(async (_, id) => set(id, { status: 'ACTIVE' }))
  const fence = vi.fn(async (_: unknown, id: string, fenced_reason: string) =>
    put('compute_node', { ...of('compute_node', id)!, fenced_reason }),
  )
  const unfence = vi.fn(async (_: unknown, id: string) =>
    put('compute_node', { ...of('compute_node', id)!, fenced_reason: null }),
  )
  const tools = {
    inventory: {
      transaction: (work: (given: typeof tx) => unknown) => work(tx),
      rowsOf: async () => rowsOf('server'),
    },
    areas: { compute: { engine: { feed: {} } } },
    ports: { compute: { instances: { migrate, start }, nodes: { fence, unfence } } },
  } as unknown as Tools
  const keep = (stopped: string[], more: object = {}) =>
    kept.set('n1', {
      maintenance: { modes: defaultModes, stopped: stopped.map((id) => ({ id, name: id })), is_closed: false, ...more },
    })
  return { tools, set, put, of, keep, kept, migrate, start, fence, unfence }
}
type Cloud = ReturnType<typeof cloudWith>

const scope = {} as never
const compute = enteringMaintenance.steps.find(({ name }) => name === 'compute')!
const run = ({ tools }: Cloud, compute_mode: 'evacuate' | 'suspend', more: object = {}) => {
  const modes = { ...defaultModes, compute_mode }
  return compute.run({ args: { node_id: 'n1', modes }, scope, time: 0, since: 0, state: {}, ...more } as never, tools)
}

it('waits for virtual machines that are being moved, moves two at a time, and ends when none are left', async () => {
  const off = machine('off', { status: 'SHUTOFF' })
  const cloud = cloudWith([machine('a'), machine('b'), machine('c'), off])
  const first = (await run(cloud, 'evacuate')) as { again: number; state: object }
  expect(cloud.migrate.mock.calls.map(([, id]) => id)).toEqual(['a', 'b'])
  const waiting = await run(cloud, 'evacuate', { state: first.state, time: 1000 })
  expect(waiting).toMatchObject({ again: expect.any(Number) as number })
  expect(cloud.migrate).toHaveBeenCalledTimes(2)
  for (const id of ['a', 'b']) cloud.set(id, { host: 'node-2', status: 'ACTIVE', task_state: null })
  await run(cloud, 'evacuate', { state: first.state })
  expect(cloud.migrate).toHaveBeenLastCalledWith(scope, 'c', expect.anything())
  cloud.set('c', { host: 'node-2', status: 'ACTIVE', task_state: null })
  expect(await run(cloud, 'evacuate', { state: first.state })).toBeUndefined()
})

it('names the virtual machine that fails, returns or does not arrive', async () => {
  const cloud = cloudWith([machine('web')])
  const { state } = (await run(cloud, 'evacuate')) as { state: object }
  const named = { message: expect.stringContaining('web was not moved') as string }
  await expect(run(cloud, 'evacuate', { state, time: 61 * 60_000 })).rejects.toMatchObject(named)
  for (const status of ['ERROR', 'ACTIVE', 'PAUSED']) {
    cloud.set('web', { status, task_state: null })
    await expect(run(cloud, 'evacuate', { state })).rejects.toMatchObject(named)
  }
})

it('continues if someone else has moved or deleted a virtual machine, and fails if it is still there', async () => {
  const cloud = cloudWith(['moved', 'busy', 'left'].map((id) => machine(id)))
  cloud.migrate.mockImplementationOnce(async () => {
    cloud.set('moved', { host: 'node-2' })
    throw problem('core.not_found')
  })
  expect(await run(cloud, 'evacuate')).toMatchObject({ again: expect.any(Number) as number })
  for (const error of [problem('core.not_found'), new Error('a fault')]) {
    cloud.migrate.mockRejectedValueOnce(error)
    await expect(run(cloud, 'evacuate')).rejects.toBe(error)
  }
})

it('waits for a busy virtual machine up to a time limit, and does not shut down a paused one', async () => {
  const cloud = cloudWith([machine('web', { status: 'REBOOT', task_state: 'rebooting' })])
  expect(await run(cloud, 'suspend')).toMatchObject({ again: expect.any(Number) as number })
  const named = { message: expect.stringContaining('web was not shut down') as string }
  await expect(run(cloud, 'suspend', { time: 11 * 60_000 })).rejects.toMatchObject(named)
  cloud.set('web', { status: 'PAUSED', task_state: null })
  await expect(run(cloud, 'suspend')).rejects.toMatchObject(named)
})

it('starts the other virtual machines if one cannot be started, then names that one', async () => {
  const cloud = cloudWith(['bad', 'good'].map((id) => machine(id, { status: 'SHUTOFF' })))
  cloud.keep(['bad', 'good'])
  const start: Start = async (_, id) => {
    if (id === 'bad') throw problem('core.not_found')
    cloud.set(id, { status: 'ACTIVE' })
  }
  cloud.start.mockImplementation(start)
  const again = () => startAgain({ nodeId: 'n1', scope, waited: 0 }, cloud.tools)
  expect(await again()).toMatchObject({ again: expect.any(Number) as number })
  expect((cloud.of('server', 'good') as unknown as Instance).status).toBe('ACTIVE')
  await expect(again()).rejects.toMatchObject({ message: expect.stringContaining('bad did not start again') as string })
})

it('a task that is cancelled before its first step keeps the list of virtual machines that an earlier task has shut down', async () => {
  const cloud = cloudWith([machine('web', { status: 'SHUTOFF' })])
  const given = { args: { node_id: 'n1' }, task_id: 't' } as never
  const maintenance = { state: 'suspending', since: '', task_id: 't' }
  const enter = () => cloud.put('node', { ...cloud.of('node', 'n1')!, maintenance, tasks: ['t'] })
  cloud.keep(['web'])
  enter()
  await enteringMaintenance.onFailure!(given, null, cloud.tools)
  expect(cloud.of('node', 'n1')).toMatchObject({
    status: 'suspend_incomplete',
    maintenance: { task_id: null },
    tasks: [],
  })
  cloud.keep([])
  enter()
  await enteringMaintenance.onFailure!(given, null, cloud.tools)
  expect(cloud.of('node', 'n1')).toMatchObject({ maintenance: null })
})

it('a cloud places no virtual machines on a node in maintenance, and other fenced nodes stay as they are', async () => {
  const cloud = cloudWith([])
  cloud.keep([])
  await closeNode(cloud.tools, scope, 'n1')
  expect(cloud.fence).toHaveBeenCalledExactlyOnceWith(scope, 'n1', 'Maintenance', { keepsMachines: true })
  await openNode(cloud.tools, scope, 'n1')
  expect(cloud.of('compute_node', 'n1')).toMatchObject({ fenced_reason: null })
  cloud.put('compute_node', { ...cloud.of('compute_node', 'n1')!, fenced_reason: 'Broken fan' })
  await closeNode(cloud.tools, scope, 'n1')
  await openNode(cloud.tools, scope, 'n1')
  expect([cloud.fence, cloud.unfence].map(({ mock }) => mock.calls.length)).toEqual([1, 1])
})

it('virtual machines move only to hosts that are up, enabled and not in maintenance', async () => {
  const cloud = cloudWith([])
  const ifOther = async (kind: 'node' | 'compute_node', more: object) => {
    const before = cloud.of(kind, 'n2')!
    cloud.put(kind, { ...before, ...more })
    const has = await hasOtherHosts(cloud.tools, { id: 'n1' })
    cloud.put(kind, before)
    return has
  }
  expect(await ifOther('node', {})).toBe(true)
  for (const more of [{ maintenance: { state: 'suspended' } }, { activity: 'installing' }, { is_online: false }])
    expect(await ifOther('node', more)).toBe(false)
  for (const more of [{ state: 'down' }, { state: 'released' }, { hypervisor: { status: 'disabled' } }])
    expect(await ifOther('compute_node', more)).toBe(false)
})

it('services that a gateway or a cloud provides do not count as running on the host of the server', async () => {
  const { tools } = cloudWith([])
  const node = newNode({ id: 'here', host: 'here', link: { ...noLink, by: 'local' }, is_online: true })
  const servicesWith = async (isOfThisMachine: boolean) => {
    const area = { engine: { feed: null, isOfThisMachine } }
    const { checks } = await precheck({ ...tools, areas: { storage: area, 'object-storage': area } } as never, node)
    return [...new Set(checks.map(({ service }) => service))]
  }
  expect(await servicesWith(true)).toEqual(['storage', 's3'])
  expect(await servicesWith(false)).toEqual([])
})
