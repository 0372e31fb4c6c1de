import { GiB, TiB } from '@mainstay/contract/core/bytes'
import type { Disk } from '@mainstay/contract/infrastructure/disks'
import type { NodeInterface } from '@mainstay/contract/infrastructure/interfaces'
import type { Node } from '@mainstay/contract/infrastructure/nodes'
import { thisNodeId } from '@mainstay/engines/ports/named-id'
import { Secret } from '@mainstay/engines/ports/secret'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { fakeHosts, HOST_KEY, hostDisk, hostFacts, hostInterface, machineIdOf } from '../../../../testing/fake-hosts'
import { openInventoryFixture, type InventoryFixture } from '../../../../testing/inventory-fixture'
import { silentLogger } from '../../../../testing/silent-logger'
import { changeNode, changeRecord } from '../node-record'
import { newNode, noLink } from '../node-rows'
import { NodeWatch } from './node-watch'

let fixture: InventoryFixture
const watches: NodeWatch[] = []
beforeAll(async () => {
  fixture = await openInventoryFixture()
})
afterEach(async () => {
  for (const watch of watches.splice(0)) await watch.close()
  await fixture.clear()
})
afterAll(() => fixture.close())

function watchOf(hosts = fakeHosts(), { inventory, store } = fixture as Pick<InventoryFixture, 'inventory' | 'store'>) {
  const privateKey = async () => new Secret('key')
  const watch = new NodeWatch({ inventory, lease: store.lease, hosts, privateKey, log: silentLogger, pace: 50 })
  watches.push(watch)
  return { watch, hosts, round: () => watch.round({ all: true }) }
}

type Work = Parameters<InventoryFixture['inventory']['transaction']>[0]
const write = <Result>(work: Work) => fixture.inventory.transaction(work) as Promise<Result>
const register = (id: string, host = id) =>
  write(async (tx) => {
    await tx.put('node', newNode({ id, host, link: { ...noLink, by: 'ssh' }, is_online: true }))
    const ssh = { address: id, port: 22, user: 'root', host_key: HOST_KEY }
    await changeRecord(tx, id, { machine_id: machineIdOf(host), ssh })
  })
const nodeOf = (id: string) => write<Node>((tx) => tx.get('node', id))
const disksOf = (id: string) => write<Disk[]>((tx) => tx.find('disk', { node_id: id }))
const revision = () => fixture.inventory.revision()

it('writes the facts of a host to the rows of its node, disks and interfaces, and keeps fields set by operators', async () => {
  const { hosts, round } = watchOf()
  const host = hosts.add('n1', hostFacts('n1', { rights: 'none', missing_programs: ['smartctl'] }))
  await register('n1')
  await write((tx) => changeNode(tx, 'n1', () => ({ rackId: 'rack-7', activity: 'in_progress' })))
  await round()
  const node = await nodeOf('n1')
  expect(node).toMatchObject({ rackId: 'rack-7', activity: 'in_progress', is_online: true, os: host.facts.os })
  expect(node).toMatchObject({
    ip_addrs: ['192.0.2.2'],
    spaces: { disks: 2, failed_disks: 0 },
    link: { rights: 'none' },
  })
  expect(node.advice.map(({ message }) => message)).toEqual([
    expect.stringContaining('"root ALL=(ALL) NOPASSWD: ALL" | sudo tee'),
    expect.stringContaining('apt-get install smartmontools'),
  ])
  const found = (await disksOf('n1')).toSorted((one, two) => one.device.localeCompare(two.device))
  expect(found.map(({ role, disk_status, type }) => [role, disk_status, type])).toEqual([
    ['system', 'ok', 'ssd'],
    ['none', 'ok', 'hdd'],
  ])
  const [card] = await write<NodeInterface[]>((tx) => tx.find('node_interface', { node_id: 'n1' }))
  expect(card).toMatchObject({ name: 'eth0', status: 'ok', ipv4: ['192.0.2.2/24'], roles_set: null })

  await write((tx) => tx.put('disk', { ...found[1]!, role: 'cs' }))
  host.facts = hostFacts('n1', {
    disks: [hostDisk('sdb', { smart_status: 'failed' }), hostDisk('sdc')],
    interfaces: [hostInterface('eth0', { state: 'no_carrier' })],
  })
  await round()
  const after = (await disksOf('n1')).toSorted((one, two) => one.device.localeCompare(two.device))
  expect(after).toMatchObject([
    { device: 'sdb', role: 'cs', disk_status: 'failed', issues: ['smart_failed'] },
    { device: 'sdc', role: 'none' },
  ])
  expect((await nodeOf('n1')).spaces.failed_disks).toBe(1)
  const [unplugged] = await write<NodeInterface[]>((tx) => tx.find('node_interface', { node_id: 'n1' }))
  expect(unplugged).toMatchObject({ status: 'unplugged' })
})

it('keeps known values while a source cannot be read, and SMART results until they are read again', async () => {
  const { hosts, round } = watchOf()
  const failed = { smart_status: 'failed' as const, temperature: 51 }
  const neighbor = { system: 'leaf1', port: 'Eth1/7' }
  const interfaces = [hostInterface('eth0', { neighbor })]
  const host = hosts.add('n1', hostFacts('n1', { disks: [hostDisk('sdb', failed)], interfaces }))
  await register('n1')
  await round()
  const [disk] = await disksOf('n1')
  await write((tx) => tx.put('disk', { ...disk!, role: 'cs' }))
  const before = await nodeOf('n1')
  host.facts = hostFacts('n1', {
    ...{ disks: [], interfaces: [], os: '', memory: { ...host.facts.memory, total: 0 } },
    ...{ clock_offset_ms: 0, clock_synchronized: null },
    unread: ['disks', 'interfaces', 'os', 'memory', 'clock_offset_ms', 'clock_synchronized'],
  })
  await round()
  const known = { role: 'cs', disk_status: 'failed', ...failed }
  expect(await disksOf('n1')).toMatchObject([known])
  expect(await write<object[]>((tx) => tx.find('node_interface', { node_id: 'n1' }))).toHaveLength(1)
  const { os, ram, ip_addrs, spaces, clock_offset_ms, clock_synchronized } = before
  expect([clock_offset_ms, clock_synchronized]).toEqual([3, true])
  const same = { os, ram, ip_addrs, spaces, clock_offset_ms, clock_synchronized }
  expect(await nodeOf('n1')).toMatchObject({ ...same, is_online: true })
  const changed = [hostInterface('eth0', { mtu: 9000 })]
  host.facts = hostFacts('n1', { disks: [], interfaces: changed, unread: ['disks', 'neighbors'] })
  await round()
  const [card] = await write<NodeInterface[]>((tx) => tx.find('node_interface', { node_id: 'n1' }))
  expect(card).toMatchObject({ mtu: 9000, neighbor })
  host.disconnect()
  host.facts = hostFacts('n1', { disks: [hostDisk('sdb', { smart_status: null, temperature: null })] })
  await round()
  expect(await disksOf('n1')).toMatchObject([known])
  expect((await nodeOf('n1')).spaces.failed_disks).toBe(1)
})

it('accepts a new name from a host, but not the name of another node, and truncates long texts', async () => {
  const { hosts, round } = watchOf()
  const machine_id = machineIdOf('n1')
  const host = hosts.add('n1', hostFacts('n2', { machine_id, os: 'x\u0000'.repeat(1000) }))
  await register('n1')
  await write((tx) => tx.put('node', newNode({ id: 'n2', host: 'n2', link: noLink })))
  await write((tx) => tx.put('compute_node', { id: 'n2', host: 'n2', host_ip: null, state: 'up', hypervisor: {} }))
  await round()
  expect(await nodeOf('n1')).toMatchObject({ host: 'n1', is_online: true, os: 'x '.repeat(150) })
  for (const [hostname, name] of [
    ['a b', 'n1'],
    ['n'.repeat(254), 'n1'],
    ['n3', 'n3'],
  ] as const) {
    host.facts = hostFacts(hostname, { machine_id })
    await round()
    expect((await nodeOf('n1')).host).toBe(name)
  }
})

it('stops waiting for a reinstallation when its token has expired', async () => {
  const { round } = watchOf()
  await register('n1')
  const prepare = (hours: number) =>
    write(async (tx) => {
      await changeNode(tx, 'n1', () => ({ activity: 'installing' }))
      const expires_at = new Date(Date.now() + hours * 3600_000).toISOString()
      await changeRecord(tx, 'n1', { reinstall: { token_hash: 'x', expires_at } })
    })
  await prepare(1)
  await round()
  expect((await nodeOf('n1')).activity).toBe('installing')
  await prepare(-1)
  await round()
  expect((await nodeOf('n1')).activity).toBe(null)
})

it('writes no revision for metrics that hardly change', async () => {
  const { hosts, round } = watchOf()
  const host = hosts.add('n1', hostFacts('n1'))
  await register('n1')
  await round()
  const before = await revision()
  const { cpu, memory } = host.facts
  host.facts = hostFacts('n1', {
    cpu: { ...cpu, usage: 0.17, load: [1.3, 0.52, 0.5] },
    memory: { ...memory, available: memory.available - 1024 ** 2 },
    clock_offset_ms: 12,
  })
  await round()
  expect(await revision()).toBe(before)
  host.facts = { ...host.facts, cpu: { ...cpu, usage: 0.5, load: [4, 2, 2] } }
  await round()
  expect(await revision()).toBeGreaterThan(before)
  expect((await nodeOf('n1')).cpu).toMatchObject({ usage: 0.5, load: [4, 2, 2] })
})

it('samples the load of each host that it reads once, with the exact values, except what could not be read', async () => {
  const { hosts, round, watch } = watchOf()
  const take = async () => {
    const samples = await watch.sampler().take(AbortSignal.abort())
    return Object.fromEntries(samples.map(({ name, labels, value }) => [`${labels['node']} ${name.slice(14)}`, value]))
  }
  const host = hosts.add('n1', hostFacts('n1'))
  hosts.add('local', hostFacts('here'))
  await register('n1')
  const compute = { id: thisNodeId, host: 'here', host_ip: null, state: 'up', traits: [], hypervisor: {} }
  await write((tx) => tx.put('compute_node', compute))
  await round()
  const traffic = (node: string) => ({
    ...{ [`${node} disk_read_bytes_total`]: GiB, [`${node} disk_write_bytes_total`]: 2 * GiB },
    ...{ [`${node} net_rx_bytes_total`]: 3 * GiB, [`${node} net_tx_bytes_total`]: 4 * GiB },
  })
  const memory = { 'n1 mem_used_bytes': 32 * GiB, 'n1 mem_bytes': 64 * GiB }
  expect(await take()).toEqual({
    ...{ 'n1 cpu_usage_ratio': 0.1, ...memory, ...traffic('n1'), ...traffic('here') },
    // the space of file systems that are mounted
    ...{ 'n1 disk_used_bytes': GiB, 'n1 disk_bytes': 4 * TiB },
  })
  expect(await take()).toEqual({})
  const { cpu, traffic: counted } = host.facts
  // rows keep the previous usage, because the difference is small
  host.facts = hostFacts('n1', { cpu: { ...cpu, usage: 0.123 }, unread: ['memory', 'disks'] })
  host.facts.traffic = { ...counted, disk_read: null, disk_written: null }
  await round()
  expect((await nodeOf('n1')).cpu).toMatchObject({ usage: 0.1 })
  const { 'n1 net_rx_bytes_total': received, 'n1 net_tx_bytes_total': sent } = traffic('n1')
  expect(await take()).toEqual({
    ...{ 'n1 cpu_usage_ratio': 0.123, 'n1 net_rx_bytes_total': received, 'n1 net_tx_bytes_total': sent },
    ...traffic('here'),
  })
})

it('a node is offline after three failed attempts, and recovers completely when its host returns', async () => {
  const { hosts, round } = watchOf()
  const host = hosts.add('n1', hostFacts('n1'))
  await register('n1')
  await round()
  host.state = 'down'
  host.disconnect()
  await round()
  await round()
  expect(await nodeOf('n1')).toMatchObject({ status: 'unassigned', link: { problem: expect.stringContaining('n1') } })
  await round()
  expect(await nodeOf('n1')).toMatchObject({ status: 'offline', is_online: false })
  expect((await disksOf('n1')).map(({ disk_status }) => disk_status)).toEqual(['unavail', 'unavail'])
  host.state = 'up'
  await round()
  expect(await nodeOf('n1')).toMatchObject({ status: 'unassigned', is_online: true, link: { problem: null } })
  expect((await disksOf('n1')).map(({ disk_status }) => disk_status)).toEqual(['ok', 'ok'])
})

it('a node that returns with another machine ID or host key stays offline, with the reason', async () => {
  const { hosts, round } = watchOf()
  const host = hosts.add('n1', hostFacts('n1', { machine_id: 'f'.repeat(32) }))
  await register('n1')
  await round()
  const other = { status: 'offline', link: { problem: expect.stringContaining('its machine ID does not match') } }
  expect(await nodeOf('n1')).toMatchObject(other)
  Object.assign(host, { facts: hostFacts('n1'), hostKey: 'ssh-ed25519 AAAAother' })
  for (let at = 0; at < 3; at++) await round()
  const changed = { status: 'offline', link: { problem: expect.stringContaining('host key') } }
  expect(await nodeOf('n1')).toMatchObject(changed)
})

it('the host of the server does not count as offline if it responds slowly', async () => {
  const { hosts, round } = watchOf()
  hosts.add('local', hostFacts('here')).state = 'down'
  const compute = { id: thisNodeId, host: 'here', host_ip: null, state: 'up', traits: [], hypervisor: {} }
  await write((tx) => tx.put('compute_node', compute))
  for (let at = 0; at < 4; at++) await round()
  expect(await nodeOf(thisNodeId)).toMatchObject({ status: 'healthy', link: { problem: expect.any(String) } })
})

it('a node counts as failed if a service of its host has failed', async () => {
  const { hosts, round } = watchOf()
  const service = { name: 'cron.service', status: 'failed' as const, message: null }
  hosts.add('local', hostFacts('here', { services: [service] }))
  const compute = { id: thisNodeId, host: 'here', host_ip: null, state: 'up', traits: [], hypervisor: {} }
  await write((tx) => tx.put('compute_node', compute))
  await round()
  expect(await nodeOf(thisNodeId)).toMatchObject({ status: 'failed', services: expect.arrayContaining([service]) })
})

it('the compute service of a node follows the state of its compute node', async () => {
  const { hosts, round } = watchOf()
  hosts.add('local', hostFacts('here'))
  const statusIn = async (state: string) => {
    const compute = { id: thisNodeId, host: 'here', host_ip: null, state, traits: [], hypervisor: {} }
    await write((tx) => tx.put('compute_node', compute))
    await round()
    const { status, services } = await nodeOf(thisNodeId)
    return [services.find(({ name }) => name === 'compute')?.status, status]
  }
  for (const state of ['joining', 'releasing', 'recovering'])
    expect(await statusIn(state)).toEqual(['starting', 'healthy'])
  for (const state of ['down', 'recovery_failed']) expect(await statusIn(state)).toEqual(['failed', 'failed'])
  expect(await statusIn('released')).toEqual(['stopped', 'healthy'])
  expect(await statusIn('up')).toEqual(['running', 'healthy'])
})

describe('many hosts and servers', () => {
  it('reads responsive hosts while others hang', { tags: 'all', timeout: 60_000 }, async () => {
    const { hosts, watch } = watchOf()
    const host = hosts.add('n1', hostFacts('n1'))
    await register('n1')
    watch.start()
    await expect.poll(async () => (await nodeOf('n1')).seen_at !== null, { timeout: 10_000 }).toBe(true)
    for (let at = 0; at < 20; at++) {
      hosts.add(`h${at}`, hostFacts(`h${at}`)).state = 'hangs'
      await register(`h${at}`)
    }
    host.facts = hostFacts('n1', { os: 'first' })
    await expect.poll(async () => (await nodeOf('n1')).os, { timeout: 6_000 }).toBe('first')
    host.facts = hostFacts('n1', { os: 'second' })
    await expect.poll(async () => (await nodeOf('n1')).os, { timeout: 6_000 }).toBe('second')
  })

  it('only the server that holds the lease reads hosts, and another one takes over', async () => {
    const [one, two] = [watchOf(), watchOf(fakeHosts(), await fixture.another())]
    for (const { hosts } of [one, two]) hosts.add('n1', hostFacts('n1'))
    await register('n1')
    one.watch.start()
    await expect.poll(() => one.hosts.opened, { timeout: 20_000 }).toBe(1)
    two.watch.start()
    await expect.poll(async () => (await nodeOf('n1')).seen_at !== null, { timeout: 20_000 }).toBe(true)
    expect(two.hosts.opened).toBe(0)
    await one.watch.close()
    await expect.poll(() => two.hosts.opened, { timeout: 20_000 }).toBe(1)
  }, 60_000)
})
