import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { InstanceDraft, type Instance } from '@mainstay/contract/compute/instances'
import type { ServerGroup } from '@mainstay/contract/compute/server-groups'
import { GiB } from '@mainstay/contract/core/bytes'
import { FloatingIpDraft, type FloatingIp } from '@mainstay/contract/networking/floating-ips'
import { PrivateNetworkDraft, PublicNetworkDraft } from '@mainstay/contract/networking/networks'
import { deviceOwners, type Port } from '@mainstay/contract/networking/ports'
import { RouterDraft } from '@mainstay/contract/networking/routers'
import type { SecurityGroup } from '@mainstay/contract/networking/security-groups'
import type { RecycledItem } from '@mainstay/contract/storage/recycle-bin'
import type { Volume } from '@mainstay/contract/storage/volumes'
import { afterEach, describe, expect, test } from 'vitest'
import type * as z from 'zod'
import { imageDraft, refusal, until } from '../../../conformance/cloud'
import { rawDisk } from '../../../conformance/images'
import { getPlan } from '../../rows/instance-plan'
import { defaultNetworkId } from '../../networking/default-network'
import { memberOf, openSimulatedCloud, operator, type SimulatedCloud } from '../../testing/embedded-cloud'

const scope = memberOf('ours')
const how = { deleted_at: '2026-11-25T10:00:00.000Z', expires_at: '2026-12-02T10:00:00.000Z' }
let cloud: SimulatedCloud
afterEach(() => cloud.close())

const rowOf = (id: string) => cloud.memory.get<Instance>('server', id)
const diskOf = (id: string) => cloud.memory.get<Volume>('volume', id)
const itemOf = (id: string) => cloud.memory.get<RecycledItem>('recycled_item', id)

/** Creates a running machine with an address and two disks, the second of which is kept when the machine is deleted. */
async function create(change: Partial<z.input<typeof InstanceDraft>> = {}): Promise<Instance> {
  const draft = InstanceDraft.parse({
    name: 'web',
    flavor: 's1.nano',
    volumes: [
      { source: 'blank', size: GiB, boot_index: 0 },
      { source: 'blank', size: 2 * GiB, rm: false },
    ],
    networks: [{ id: defaultNetworkId }],
    ...change,
  })
  const [row] = await cloud.compute.instances.create(scope, draft)
  await cloud.server.idle()
  return rowOf(row!.id)!
}
async function disk(name = 'data'): Promise<Volume> {
  const { id } = await cloud.storage.volumes.create(scope, {
    ...{ name, description: '', size: GiB, image_id: null, bootable: false },
  })
  await cloud.server.idle()
  return diskOf(id)!
}
async function recycle(id: string, chosen: string[] | null = null): Promise<void> {
  await cloud.compute.instances.recycle(scope, id, chosen, how)
  await cloud.server.idle()
}
async function restore(id: string) {
  const restored = await cloud.storage.recycleBin.restore(scope, id)
  await cloud.server.idle()
  return restored
}
/** Marks the volume as failed during creation. */
const unmake = (id: string) =>
  cloud.server.records.transaction((tx) => tx.put('volume', { ...diskOf(id)!, status: 'error' }))
const stateOf = (id: string) => cloud.hypervisor.machines.state(id)
const files = () => readdirSync(join(cloud.folder, 'volumes')).length
const without = <Row extends { updated?: string; updated_at?: string }>({ updated, updated_at, ...row }: Row) => row

const privateNetwork = (...cidrs: string[]) =>
  cloud.networking.networks.createPrivate(
    scope,
    PrivateNetworkDraft.parse({
      name: 'inner',
      subnets: cidrs.map((cidr) => (cidr.includes(':') ? { cidr, ipv6_address_mode: 'dhcpv6-stateful' } : { cidr })),
    }),
  )
const externalNetwork = () =>
  cloud.networking.networks.createPublic(
    operator,
    PublicNetworkDraft.parse({
      ...{ name: 'outside', physical_network: 'public', subnets: [{ cidr: '203.0.113.0/24' }] },
      rbac_policies: [{ target_project: '*', actions: ['routed'] }],
    }),
  )

/** Returns the number of machine ports. Checks that every reserved address and MAC address belongs to a port. */
function cardCount(): number {
  const ports = cloud.memory.all<Port>('port')
  expect(cloud.memory.privateCount('address')).toBe(ports.flatMap(({ fixed_ips }) => fixed_ips).length)
  expect(cloud.memory.privateCount('mac')).toBe(ports.length)
  return ports.filter(({ device_owner }) => device_owner === deviceOwners.instance).length
}

describe('a virtual machine', () => {
  test('disappears from lists immediately and shuts down; restoring it brings it back unchanged and running', async () => {
    cloud = await openSimulatedCloud()
    const before = await create({ name: 'shop', description: 'sells' })
    const [boot, data] = before.volumes
    const answer = await cloud.compute.instances.recycle(scope, before.id, null, how)
    expect(answer).toMatchObject({ id: before.id, task_state: 'soft-deleting' })
    expect(rowOf(before.id)).toBeNull()
    expect(diskOf(boot!.id)).toBeNull()
    expect(itemOf(before.id)).toEqual({
      ...{ id: before.id, kind: 'server', name: 'shop', description: 'sells', status: 'recycled', fault: null },
      ...{ size: GiB, volumes: [{ id: boot!.id, name: boot!.name, size: GiB }], addresses: before.networks[0]!.ips },
      ...{ flavor_name: 's1.nano', deleted_by: 'ada', ...how },
      ...{ project_id: 'ours', domain_id: 'default', user_id: 'user-of-ours' },
    })
    await cloud.server.idle()
    expect(await stateOf(before.id)).toBe('off')
    expect(diskOf(data!.id)).toMatchObject({ status: 'available', attachments: [] })
    expect(files()).toBe(2)

    expect(await restore(before.id)).toEqual({
      id: before.id,
      kind: 'server',
      name: 'shop',
      left_out: [],
      new_addresses: [],
    })
    expect(without(rowOf(before.id)!)).toEqual(without(before))
    expect(await stateOf(before.id)).toBe('running')
    for (const id of [boot!.id, data!.id])
      expect(diskOf(id)).toMatchObject({ status: 'in-use', attachments: [{ server_id: before.id }] })
    expect(itemOf(before.id)).toBeNull()
  })

  test.each([
    ['SHUTOFF', 'off', 'stop'],
    ['SUSPENDED', 'saved', 'suspend'],
    ['SHELVED_OFFLOADED', 'off', 'shelve'],
  ] as const)('keeps the status %s when restored', async (status, state, action) => {
    cloud = await openSimulatedCloud()
    const { id } = await create()
    await cloud.compute.instances[action](scope, id, { hard: true, timeoutSeconds: 0 })
    await cloud.server.idle()
    await recycle(id)
    expect(await stateOf(id)).toBe(state)
    await restore(id)
    expect(rowOf(id)).toMatchObject({ status, task_state: null, fault: null })
    expect(await stateOf(id)).toBe(state)
  })

  test('can be restored while its guest is still shutting down: it is stopped first, then started', async () => {
    const told: string[] = []
    cloud = await openSimulatedCloud({
      delays: { shutdown: 400 },
      wrap: (part) =>
        new Proxy(part, {
          get(target, name) {
            if (name === 'start' || name === 'pressPower') told.push(name)
            return (target as Record<string | symbol, unknown>)[name]
          },
        }),
    })
    const { id } = await create()
    await cloud.compute.instances.recycle(scope, id, null, how)
    await cloud.storage.recycleBin.restore(scope, id)
    expect(rowOf(id)).toMatchObject({ status: 'ACTIVE', task_state: 'restoring' })
    await cloud.server.idle()
    expect(told.filter((name) => name === 'start')).toHaveLength(2)
    expect([told.includes('pressPower'), told.at(-1)]).toEqual([true, 'start'])
    expect(rowOf(id)).toMatchObject({ status: 'ACTIVE', task_state: null })
    expect(await stateOf(id)).toBe('running')
  })

  test('counts against the storage quotas but not as an instance, and the quota error states how much is in the bin', async () => {
    cloud = await openSimulatedCloud({ limits: { quotas: { instances: 1, vcpus: 1, volumes: 1 } } })
    const { id, flavor } = await create({ volumes: [{ source: 'blank', size: GiB, boot_index: 0 }] })
    const used = async () => {
      const compute = await cloud.compute.quotas(scope, 'ours')
      const storage = await cloud.storage.quotas(scope, 'ours')
      return [compute.instances, compute.vcpus, compute.ram, storage.volumes, storage.storage].map((it) => it.used)
    }
    expect(await used()).toEqual([1, 1, flavor.ram, 1, GiB])
    await recycle(id)
    expect(await used()).toEqual([0, 0, 0, 1, GiB])
    const draft = InstanceDraft.parse({
      name: 'next',
      flavor: 's1.nano',
      volumes: [{ source: 'blank', size: GiB, boot_index: 0 }],
      networks: [],
    })
    expect(await refusal(cloud.compute.instances.create(scope, draft))).toMatchObject({
      code: 'quota_exceeded',
      message: expect.stringMatching(
        /quota for volumes .*1 of 1 are in use \(including 1 in the recycle bin\), and the request needs 1 more/,
      ),
    })
    await cloud.storage.recycleBin.delete(scope, id)
    await cloud.server.idle()
    expect(await used()).toEqual([0, 0, 0, 0, 0])
  })

  test.each(['vcpus', 'instances', 'ports'] as const)(
    'is not restored while the %s quota is exhausted, and stays in the bin unchanged',
    async (resource) => {
      cloud = await openSimulatedCloud({ limits: { quotas: { [resource]: 1 } } })
      const { id } = await create()
      await recycle(id)
      const other = await create({ name: 'other' })
      expect(await refusal(cloud.storage.recycleBin.restore(scope, id))).toMatchObject({
        code: 'quota_exceeded',
        data: { resource, limit: 1, used: 1, requested: 1 },
      })
      expect(itemOf(id)).toMatchObject({ status: 'recycled' })
      expect(rowOf(id)).toBeNull()
      await cloud.compute.instances.delete(scope, other.id, null)
      await cloud.server.idle()
      await restore(id)
      expect(rowOf(id)?.status).toBe('ACTIVE')
    },
  )

  test('is not restored if the host lacks the capacity', async () => {
    cloud = await openSimulatedCloud({ host: { cpuCores: 1 }, limits: { vcpusPerCore: 1 } })
    const { id } = await create()
    await recycle(id)
    await create({ name: 'other' })
    expect(await refusal(cloud.storage.recycleBin.restore(scope, id))).toMatchObject({ code: 'no_valid_host' })
    expect(itemOf(id)).toMatchObject({ status: 'recycled' })
  })

  test('releases its addresses immediately, and gets another address if its old one has been taken', async () => {
    cloud = await openSimulatedCloud({ delays: { shutdown: 400 } })
    const before = await create()
    const [address] = before.networks[0]!.ips
    await cloud.compute.instances.recycle(scope, before.id, null, how)
    expect(cardCount()).toBe(0)
    const asking = { networks: [{ id: defaultNetworkId, fixed_ips: [{ ip_address: address! }] }] }
    const next = await create({ name: 'next', ...asking })
    expect(next.networks[0]!.ips).toEqual([address])

    const { left_out, new_addresses } = await restore(before.id)
    const after = rowOf(before.id)!
    expect(left_out).toEqual([])
    expect(new_addresses).toEqual([{ network: 'Default network', before: [address], now: after.networks[0]!.ips }])
    expect(after.networks[0]!.ips).not.toEqual([address])
    expect(after.network_data[0]).toMatchObject({ port_id: before.network_data[0]!.port_id })
    expect(after.network_data[0]).toMatchObject({ mac_addr: before.network_data[0]!.mac_addr })
    expect(cardCount()).toBe(2)
  })

  test('keeps its address in one subnet if only its address in the other subnet has been taken', async () => {
    cloud = await openSimulatedCloud()
    const network = await privateNetwork('10.7.0.0/24', 'fd00:7::/64')
    const before = await create({ networks: [{ id: network.id }] })
    const [ipv4, ipv6] = before.networks[0]!.ips
    await recycle(before.id)
    await create({ name: 'next', networks: [{ id: network.id, fixed_ips: [{ ip_address: ipv4! }] }] })
    const { new_addresses } = await restore(before.id)
    const [other, same] = rowOf(before.id)!.networks[0]!.ips
    expect([same, other === ipv4]).toEqual([ipv6, false])
    expect(new_addresses).toEqual([{ network: 'inner', before: [ipv4, ipv6], now: [other, same] }])
  })

  test('does not prevent its network from being deleted, and is restored without that interface', async () => {
    cloud = await openSimulatedCloud()
    const network = await privateNetwork('10.7.0.0/24')
    const { id } = await create({ networks: [{ id: defaultNetworkId }, { id: network.id }] })
    await recycle(id)
    await cloud.networking.networks.delete(scope, network.id, { vlanInterfaces: false })
    expect((await restore(id)).left_out).toEqual([{ kind: 'network', name: 'inner' }])
    expect(rowOf(id)!.networks.map(({ name }) => name)).toEqual(['Default network'])
    const plan = await cloud.server.records.transaction((tx) => getPlan(tx, id))
    expect(plan.nics.map((nic) => nic.id)).toEqual(rowOf(id)!.network_data.map(({ port_id }) => port_id))
  })

  test('does not prevent its security group from being deleted, and is restored in the default group', async () => {
    cloud = await openSimulatedCloud()
    const { securityGroups } = cloud.networking
    const group = await securityGroups.create(scope, { name: 'web', description: '' })
    const network = { id: defaultNetworkId, security_groups: [group.id] }
    const { id, network_data } = await create({ networks: [network] })
    expect(network_data[0]!.security_groups).toEqual([group.id])
    await recycle(id)
    await securityGroups.delete(scope, group.id)
    await restore(id)
    const [card] = rowOf(id)!.network_data
    const groups = cloud.memory
      .all<SecurityGroup>('security_group')
      .filter(({ id: of }) => card!.security_groups?.includes(of))
    expect(card).toMatchObject({ spoofing_protection: true })
    expect(groups).toMatchObject([{ name: 'default', project_id: 'ours', port_count: 1 }])
  })

  test('stays in the bin while its network has no free address', async () => {
    cloud = await openSimulatedCloud()
    const network = await privateNetwork('10.7.0.0/29')
    const { id } = await create({ networks: [{ id: network.id }] })
    await recycle(id)
    const taken: string[] = []
    for (;;) {
      const made = await cloud.networking.ports.create(scope, { network_id: network.id }).catch(() => null)
      if (!made) break
      taken.push(made.id)
    }
    expect(await refusal(cloud.storage.recycleBin.restore(scope, id))).toMatchObject({
      code: 'no_free_addresses',
      message: expect.stringContaining('inner has no free address in 10.7.0.0/29'),
    })
    expect(itemOf(id)).toMatchObject({ status: 'recycled' })
    await cloud.networking.ports.delete(scope, taken[0]!)
    await restore(id)
    expect(rowOf(id)?.status).toBe('ACTIVE')
  })

  test('gets its independently created port back, unless another machine uses it', async () => {
    cloud = await openSimulatedCloud()
    const port = await cloud.networking.ports.create(scope, { network_id: defaultNetworkId, name: 'kept' })
    const { id } = await create({ networks: [{ port_id: port.id }] })
    await recycle(id)
    const kept = () => cloud.memory.get<Port>('port', port.id)!
    expect(kept()).toMatchObject({ device_id: '', fixed_ips: port.fixed_ips })
    await restore(id)
    expect(kept()).toMatchObject({ device_id: id, name: 'kept' })

    await recycle(id)
    const taker = await create({ name: 'taker', networks: [{ port_id: port.id }] })
    expect((await restore(id)).new_addresses).toMatchObject([{ before: [port.fixed_ips[0]!.ip_address] }])
    expect(kept().device_id).toBe(taker.id)
    await cloud.compute.instances.delete(scope, id, null)
    await cloud.server.idle()
    expect(kept().device_id).toBe(taker.id)
  })

  test('when permanently deleted, leaves its former port to the machine that now uses it', async () => {
    cloud = await openSimulatedCloud()
    const port = await cloud.networking.ports.create(scope, { network_id: defaultNetworkId })
    const { id } = await create({ networks: [{ port_id: port.id }] })
    await recycle(id)
    const taker = await create({ name: 'taker', networks: [{ port_id: port.id }] })
    await cloud.storage.recycleBin.delete(scope, id)
    await cloud.server.idle()
    expect(cloud.memory.get<Port>('port', port.id)).toMatchObject({ device_id: taker.id })
  })

  test('gets its floating IP back if it is still unassigned', async () => {
    cloud = await openSimulatedCloud()
    const [network, outside] = [await privateNetwork('10.7.0.0/24'), await externalNetwork()]
    await cloud.networking.routers.create(
      scope,
      RouterDraft.parse({
        ...{ name: 'edge', external_gateway_info: { network_id: outside.id } },
        internal_interfaces: [{ network_id: network.id }],
      }),
    )
    const { id, network_data } = await create({ networks: [{ id: network.id }] })
    const floating = await cloud.networking.floatingIps.create(
      scope,
      FloatingIpDraft.parse({ floating_network_id: outside.id, port_id: network_data[0]!.port_id }),
    )
    const shown = () => cloud.memory.get<FloatingIp>('floating_ip', floating.id)
    await recycle(id)
    expect(shown()).toMatchObject({ port_id: null, attached_to: null })
    expect((await restore(id)).left_out).toEqual([])
    expect(shown()).toMatchObject({ attachment: { object_id: id }, fixed_ip_address: floating.fixed_ip_address })

    await recycle(id)
    await cloud.networking.floatingIps.delete(scope, floating.id)
    expect((await restore(id)).left_out).toEqual([{ kind: 'floating_ip', name: floating.floating_ip_address }])
  })

  test('can be restored alongside another machine with the same name', async () => {
    cloud = await openSimulatedCloud()
    const { id } = await create({ name: 'twin' })
    await recycle(id)
    const other = await create({ name: 'twin' })
    await restore(id)
    expect([rowOf(id)?.name, rowOf(other.id)?.name]).toEqual(['twin', 'twin'])
    expect(rowOf(id)?.networks[0]?.ips).not.toEqual(other.networks[0]?.ips)
  })

  test('is restored without a deleted network, ISO or server group and without a volume in use, and lists what is missing', async () => {
    cloud = await openSimulatedCloud()
    const iso = Buffer.alloc(64 * 1024)
    iso.write('CD001', 32769, 'latin1')
    const image = await cloud.compute.images.create(
      scope,
      imageDraft({ name: 'installer', disk_format: 'iso' }),
      Readable.from([iso]),
    )
    await cloud.server.idle()
    const group = await cloud.compute.serverGroups.create(scope, {
      ...{ name: 'apart', description: '', policy: 'anti-affinity' },
    } as never)
    const { id, volumes } = await create({
      volumes: [
        { source: 'blank', size: GiB, boot_index: 1 },
        { source: 'blank', size: 2 * GiB, rm: false },
        { source: 'iso', id: image.id },
      ],
      server_group: group.id,
    } as never)
    await recycle(id)
    // items in the bin use neither the group nor the ISO
    const taker = await create({ name: 'taker', server_group: group.id })
    await cloud.compute.images.delete(scope, image.id)
    await cloud.compute.instances.attachVolume(scope, taker.id, volumes[1]!.id, false)
    await cloud.server.idle()
    const network = cloud.memory.get('network', defaultNetworkId)!
    await cloud.server.records.transaction((tx) => tx.remove('network', defaultNetworkId))

    const { left_out } = await restore(id)
    expect(left_out.toSorted((one, other) => one.kind.localeCompare(other.kind))).toEqual([
      { kind: 'image', name: expect.any(String) },
      { kind: 'network', name: 'Default network' },
      { kind: 'server_group', name: 'apart' },
      { kind: 'volume', name: volumes[1]!.name },
    ])
    expect(rowOf(id)).toMatchObject({
      status: 'ACTIVE',
      networks: [],
      network_data: [],
      volumes: [{ id: volumes[0]!.id }],
    })
    expect(diskOf(volumes[1]!.id)).toMatchObject({ attachments: [{ server_id: taker.id }] })
    expect(cloud.memory.get<ServerGroup>('server_group', group.id)?.members).toEqual([taker.id])
    // the address of the interface was released with its network
    expect(cardCount()).toBe(1)
    await cloud.server.records.transaction((tx) => tx.put('network', network))
  })

  test('is restored even if its image and its flavor have been deleted', async () => {
    cloud = await openSimulatedCloud()
    const image = await cloud.compute.images.create(scope, imageDraft({ name: 'made of' }), Readable.from([rawDisk()]))
    await cloud.server.idle()
    const flavor = await cloud.compute.flavors.create(memberOf('ours', { kind: 'system' }), {
      name: 'odd',
      vcpus: 1,
      ram: 300,
      swap: 0,
    })
    const { id } = await create({ flavor: flavor.id, volumes: [{ source: 'image', id: image.id, size: GiB }] })
    await recycle(id)
    await cloud.compute.images.delete(scope, image.id)
    await cloud.compute.flavors.delete(memberOf('ours', { kind: 'system' }), flavor.id)
    expect((await restore(id)).left_out).toEqual([])
    expect(rowOf(id)).toMatchObject({
      status: 'ACTIVE',
      image_name: 'made of',
      flavor: { original_name: 'odd', ram: 300 },
    })
  })

  test('is restored only once by concurrent requests', async () => {
    cloud = await openSimulatedCloud()
    const { id } = await create()
    await recycle(id)
    const asked = await Promise.allSettled([1, 2, 3].map(() => cloud.storage.recycleBin.restore(scope, id)))
    expect(asked.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected'])
    expect(asked.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'not_found' } })
    await cloud.server.idle()
    expect(rowOf(id)).toMatchObject({ status: 'ACTIVE', task_state: null })
  })

  test('is deleted immediately if its volumes were never created', async () => {
    cloud = await openSimulatedCloud()
    const { id, volumes } = await create()
    await unmake(volumes[0]!.id)
    await recycle(id)
    expect([rowOf(id), itemOf(id)]).toEqual([null, null])
  })

  test('cannot be deleted while one of its volumes is changing', async () => {
    cloud = await openSimulatedCloud()
    const { id, volumes } = await create()
    await cloud.server.records.transaction((tx) =>
      tx.put('volume', { ...diskOf(volumes[0]!.id)!, status: 'extending' }),
    )
    expect(await refusal(cloud.compute.instances.recycle(scope, id, null, how))).toMatchObject({
      code: 'invalid_state',
    })
    expect(rowOf(id)?.status).toBe('ACTIVE')
    await cloud.server.records.transaction((tx) => tx.put('volume', { ...diskOf(volumes[0]!.id)!, status: 'in-use' }))
  })

  test('is listed again in the error state, with the reason, if it cannot be shut down', async () => {
    cloud = await openSimulatedCloud({
      wrap: (part) =>
        new Proxy(part, {
          get: (target, name) =>
            name === 'cut' || name === 'pressPower'
              ? () => Promise.reject(new Error('it does not answer'))
              : (target as Record<string | symbol, unknown>)[name],
        }),
      limits: { softRebootMs: 50 },
    })
    const before = await create()
    await recycle(before.id)
    expect(itemOf(before.id)).toBeNull()
    expect(rowOf(before.id)).toMatchObject({ status: 'ERROR', task_state: null, volumes: before.volumes, fault: {} })
    for (const { id } of before.volumes) expect(diskOf(id)?.status).toBe('in-use')
  })

  test('is started from its own disks if it was deleted during a rescue', async () => {
    cloud = await openSimulatedCloud()
    const image = await cloud.compute.images.create(scope, imageDraft(), Readable.from([rawDisk()]))
    await cloud.server.idle()
    const { id } = await create()
    await cloud.compute.instances.rescue(scope, id, image.id)
    await cloud.server.idle()
    await recycle(id)
    expect(readdirSync(join(cloud.folder, 'rescues'))).toEqual([])
    await restore(id)
    expect(rowOf(id)).toMatchObject({ status: 'ACTIVE', task_state: null })
  })
})

describe('a volume', () => {
  test('disappears from lists immediately, keeps its file, and can be restored', async () => {
    cloud = await openSimulatedCloud()
    const before = await disk()
    expect(await cloud.storage.volumes.recycle(scope, before.id, how)).toMatchObject({ status: 'deleting' })
    expect(diskOf(before.id)).toBeNull()
    expect(itemOf(before.id)).toMatchObject({ kind: 'volume', name: 'data', size: GiB, flavor_name: null, volumes: [] })
    expect(await refusal(cloud.storage.volumes.extend(scope, before.id, 2 * GiB))).toMatchObject({ code: 'not_found' })
    await restore(before.id)
    expect(without(diskOf(before.id)!)).toEqual(without(before))
  })

  test('is restored even if its machine has been permanently deleted', async () => {
    cloud = await openSimulatedCloud()
    const { id, volumes } = await create()
    const stays = volumes[1]!.id
    await recycle(id)
    await cloud.storage.volumes.recycle(scope, stays, how)
    await cloud.storage.recycleBin.delete(scope, id)
    await cloud.server.idle()
    await restore(stays)
    expect(diskOf(stays)).toMatchObject({ status: 'available', attachments: [] })
  })

  test('cannot be deleted while attached, and is deleted immediately if it was never created', async () => {
    cloud = await openSimulatedCloud()
    const { volumes } = await create()
    expect(await refusal(cloud.storage.volumes.recycle(scope, volumes[1]!.id, how))).toMatchObject({
      code: 'volume_in_use',
    })
    const unmade = await disk('unmade')
    await unmake(unmade.id)
    await cloud.storage.volumes.recycle(scope, unmade.id, how)
    await cloud.server.idle()
    expect([diskOf(unmade.id), itemOf(unmade.id)]).toEqual([null, null])
  })
})

describe('the recycle bin', () => {
  test("permanently deletes an item's files, machine, addresses and engine data", async () => {
    cloud = await openSimulatedCloud()
    const [{ id, volumes }, own] = [await create(), await disk()]
    await recycle(id)
    await cloud.storage.volumes.recycle(scope, own.id, how)
    expect(await cloud.storage.recycleBin.delete(scope, id)).toMatchObject({ id, status: 'deleting' })
    expect(await refusal(cloud.storage.recycleBin.restore(scope, id))).toMatchObject({ code: 'invalid_state' })
    await cloud.storage.recycleBin.delete(scope, own.id)
    await cloud.server.idle()
    expect([itemOf(id), itemOf(own.id)]).toEqual([null, null])
    expect(readdirSync(join(cloud.folder, 'volumes'))).toEqual([`${volumes[1]!.id}.qcow2`])
    expect(existsSync(join(cloud.folder, 'seeds', `${id}.iso`))).toBe(false)
    expect((await cloud.hypervisor.machines.known()).map((it) => it.id)).not.toContain(id)
    expect(cardCount()).toBe(0)
    expect(cloud.memory.privateCount('recycled_item')).toBe(0)
  })

  test('permanently deletes a machine without waiting for its guest to shut down', async () => {
    cloud = await openSimulatedCloud({ limits: { softRebootMs: 600_000 } })
    cloud.hypervisor.faults.machines.add('fault-acpi')
    const { id } = await create()
    await cloud.compute.instances.recycle(scope, id, null, how)
    await cloud.storage.recycleBin.delete(scope, id)
    await until('it to be gone', async () => itemOf(id) === null)
  })

  test('keeps an item that could not be deleted and shows the reason, and retries on request', async () => {
    let isBroken = true
    cloud = await openSimulatedCloud({
      wrap: (part) =>
        new Proxy(part, {
          get: (target, name) =>
            name === 'remove' && isBroken
              ? () => Promise.reject(new Error('the disk is away'))
              : (target as Record<string | symbol, unknown>)[name],
        }),
    })
    const { id } = await disk()
    await cloud.storage.volumes.recycle(scope, id, how)
    await cloud.storage.recycleBin.delete(scope, id)
    await cloud.server.idle()
    expect(itemOf(id)).toMatchObject({ status: 'recycled', fault: expect.any(String) })
    isBroken = false
    await cloud.storage.recycleBin.delete(scope, id)
    await cloud.server.idle()
    expect(itemOf(id)).toBeNull()
  })

  test('empties the bin of one project only', async () => {
    cloud = await openSimulatedCloud()
    const own = [await disk('one'), await disk('two')]
    const theirs = memberOf('theirs')
    const other = await cloud.storage.volumes.create(theirs, {
      ...{ name: 'theirs', description: '', size: GiB, image_id: null, bootable: false },
    })
    await cloud.server.idle()
    for (const { id } of own) await cloud.storage.volumes.recycle(scope, id, how)
    await cloud.storage.volumes.recycle(theirs, other.id, how)
    expect(await refusal(cloud.storage.recycleBin.empty(scope, 'theirs'))).toMatchObject({ code: 'not_found' })
    expect(await cloud.storage.recycleBin.empty(scope, 'ours')).toBe(2)
    await cloud.server.idle()
    expect(cloud.memory.all<RecycledItem>('recycled_item').map(({ name }) => name)).toEqual(['theirs'])
    expect(await cloud.storage.recycleBin.empty(scope, 'ours')).toBe(0)
  })

  test('hides items from other projects', async () => {
    cloud = await openSimulatedCloud()
    const { id } = await disk()
    await cloud.storage.volumes.recycle(scope, id, how)
    const theirs = memberOf('theirs')
    expect(await refusal(cloud.storage.recycleBin.restore(theirs, id))).toMatchObject({ code: 'not_found' })
    expect(await refusal(cloud.storage.recycleBin.delete(theirs, id))).toMatchObject({ code: 'not_found' })
    expect(itemOf(id)).toMatchObject({ status: 'recycled' })
  })
})
