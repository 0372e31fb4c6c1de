import { createServer } from 'node:net'
import { InstanceDraft, type Instance } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { FloatingIpDraft, type FloatingIp } from '@mainstay/contract/networking/floating-ips'
import { PrivateNetworkDraft, PublicNetworkDraft, type Network } from '@mainstay/contract/networking/networks'
import { deviceOwners, PortDraft, type Port } from '@mainstay/contract/networking/ports'
import { RouterChange, RouterDraft, type Router } from '@mainstay/contract/networking/routers'
import type { SecurityGroup } from '@mainstay/contract/networking/security-groups'
import { SubnetChange, SubnetDraft } from '@mainstay/contract/networking/subnets'
import { afterEach, expect, test } from 'vitest'
import { refusal, until } from '../../conformance/cloud'
import { openPretendDataplane } from '../simulated/dataplane'
import { memberOf, openSimulatedCloud, operator, type SimulatedCloud } from '../testing/embedded-cloud'
import { openMemory } from '../testing/memory'
import { getPlan, putPlan } from '../rows/instance-plan'
import { adoptNames, adoptPorts } from './adopt-ports'
import { defaultNetworkId } from './default-network'
import { forgetDomain, forgetProject } from './forget-target'
import { answerMetadata } from './metadata'

/* Networking of the embedded engine, in addition to the suite that all engines share. */

const scope = memberOf('ours')
let cloud: SimulatedCloud
afterEach(() => cloud.close())

const create = async (network: string, change: object = {}) => {
  const draft = InstanceDraft.parse({
    ...{ name: 'web', flavor: 's1.nano', volumes: [{ source: 'blank', size: GiB, boot_index: 0 }] },
    ...{ networks: [{ id: network }], ...change },
  })
  const [row] = await cloud.compute.instances.create(scope, draft)
  await cloud.server.idle()
  return cloud.memory.get<Instance>('server', row!.id)!
}
const privateNetwork = (cidr = '10.0.0.0/24') =>
  cloud.networking.networks.createPrivate(scope, PrivateNetworkDraft.parse({ name: 'inner', subnets: [{ cidr }] }))
const external = (policies: object[] = [{ target_project: '*', actions: ['routed'] }], cidr = '203.0.113.0/24') =>
  cloud.networking.networks.createPublic(
    operator,
    PublicNetworkDraft.parse({
      name: 'outside',
      physical_network: 'public',
      subnets: [{ cidr }],
      rbac_policies: policies,
    }),
  )
const port = (id: string) => cloud.memory.get<Port>('port', id)!

/** Creates an instance with a floating IP. */
async function reached() {
  const [net, outside] = [await privateNetwork(), await external()]
  await cloud.networking.routers.create(
    scope,
    RouterDraft.parse({
      ...{ name: 'edge', external_gateway_info: { network_id: outside.id } },
      internal_interfaces: [{ network_id: net.id }],
    }),
  )
  const server = await create(net.id)
  const draft = { floating_network_id: outside.id, port_id: server.network_data[0]!.port_id }
  const floating = await cloud.networking.floatingIps.create(scope, FloatingIpDraft.parse(draft))
  return { net, outside, server, floating }
}

test('a network interface is a port of its instance, and follows the instance’s name and power state', async () => {
  cloud = await openSimulatedCloud()
  const server = await create((await privateNetwork()).id)
  const [card] = server.network_data
  expect(port(card!.port_id)).toMatchObject({
    ...{ device_id: server.id, device_owner: deviceOwners.instance, device_name: 'web', status: 'ACTIVE' },
    ...{ fixed_ips: card!.fixed_ips, security_groups: card!.security_groups },
  })
  await cloud.compute.instances.update(scope, server.id, { name: 'renamed' })
  await cloud.compute.instances.stop(scope, server.id, { hard: true, timeoutSeconds: 0 })
  await cloud.server.idle()
  expect(port(card!.port_id)).toMatchObject({ device_name: 'renamed', status: 'DOWN' })
  // the groups of the port and of the interface stay in sync, whichever of them is changed
  const group = await cloud.networking.securityGroups.create(scope, { name: 'closed', description: '' })
  await cloud.networking.ports.update(scope, card!.port_id, { security_groups: [group.id] })
  const shown = () => cloud.memory.get<Instance>('server', server.id)!.network_data[0]!
  expect(shown().security_groups).toEqual([group.id])
  await cloud.networking.interfaces.update(scope, server.id, card!.port_id, { spoofing_protection: false })
  expect(shown()).toMatchObject({ spoofing_protection: false, security_groups: [] })
  expect(port(card!.port_id)).toMatchObject({ spoofing_protection: false, security_groups: [] })
})

test('only operators may disable spoofing protection in a shared network', async () => {
  cloud = await openSimulatedCloud()
  const shared = await external([{ target_project: '*', actions: ['direct'] }])
  const server = await create(shared.id)
  const { port_id } = server.network_data[0]!
  const { ports, interfaces } = cloud.networking
  const off = { spoofing_protection: false }
  const refused = { code: 'forbidden', fields: { spoofing_protection: [expect.any(String)] } }
  await expect(ports.create(scope, { network_id: shared.id, ...off })).rejects.toMatchObject(refused)
  await expect(ports.update(scope, port_id, off)).rejects.toMatchObject(refused)
  await expect(interfaces.update(scope, server.id, port_id, off)).rejects.toMatchObject(refused)
  await expect(create(shared.id, { networks: [{ id: shared.id, ...off }] })).rejects.toMatchObject({
    fields: { 'networks.0.spoofing_protection': [expect.any(String)] },
  })
  const spare = await ports.create(scope, { network_id: shared.id })
  await expect(create(shared.id, { networks: [{ port_id: spare.id, ...off }] })).rejects.toMatchObject({
    fields: { 'networks.0.spoofing_protection': [expect.any(String)] },
  })
  expect(port(port_id)).toMatchObject({ spoofing_protection: true })
  expect(await ports.update(operator, port_id, off)).toMatchObject(off)
})

test('deleting an instance unassigns its floating IP and closes its published ports', async () => {
  cloud = await openSimulatedCloud()
  const { server, floating } = await reached()
  expect(floating).toMatchObject({ status: 'ACTIVE', attached_to: 'web', attachment: { object_id: server.id } })
  const open = await cloud.networking.floatingIps.publish(scope, floating.id, { port: 80, protocol: 'tcp' })
  expect(open.published_ports).toMatchObject([
    { port: 80, host_address: expect.stringMatching(/^127\.50\./), fault: null },
  ])
  await cloud.compute.instances.update(scope, server.id, { name: 'shop' })
  expect(cloud.memory.get('floating_ip', floating.id)).toMatchObject({ attached_to: 'shop' })
  await cloud.compute.instances.delete(scope, server.id, null)
  await cloud.server.idle()
  expect(cloud.memory.get('floating_ip', floating.id)).toMatchObject({
    ...{ status: 'DOWN', port_id: null, router_id: null, attached_to: null },
    published_ports: [{ port: 80, fault: expect.stringContaining('not assigned') }],
  })
  const again = cloud.networking.floatingIps.publish(scope, floating.id, { port: 81, protocol: 'tcp' })
  expect(await refusal(again)).toMatchObject({ code: 'invalid_state' })
})

test('publishes a port only once, on a free host port, until it is closed', async () => {
  cloud = await openSimulatedCloud()
  const { floating } = await reached()
  const { floatingIps } = cloud.networking
  const first = await floatingIps.publish(scope, floating.id, { port: 80, protocol: 'tcp' })
  const [{ host_address, host_port } = { host_address: '', host_port: 0 }] = first.published_ports!
  expect((await floatingIps.publish(scope, floating.id, { port: 80, protocol: 'tcp' })).published_ports).toHaveLength(1)
  const other = createServer()
  const busy = 8443
  await new Promise<void>((listening) => other.listen(busy, host_address, listening))
  try {
    const second = await floatingIps.publish(scope, floating.id, { port: 443, protocol: 'tcp' })
    expect(second.published_ports![1]).toMatchObject({ port: 443, host_address })
    expect(second.published_ports![1]!.host_port).not.toBe(busy)
  } finally {
    other.close()
  }
  await cloud.engine.carrier.settled()
  expect(cloud.hypervisor.dataplane.wanted!.floating[0]!.published[0]).toMatchObject({ hostPort: host_port })
  const closed = await floatingIps.unpublish(scope, floating.id, { port: 80, protocol: 'tcp' })
  expect(closed.published_ports).toMatchObject([{ port: 443 }])
})

test('an object shows the fault while its configuration cannot be applied to this host', async () => {
  cloud = await openSimulatedCloud()
  const { net, floating } = await reached()
  const { faults } = cloud.hypervisor.dataplane
  const told = (kind: string, id: string) => cloud.memory.get<FloatingIp>(kind, id)!
  faults.set(net.id, 'no bridge').set(floating.id, 'no router')
  await cloud.engine.carrier.settled()
  expect(told('network', net.id)).toMatchObject({ status: 'ERROR', fault: 'no bridge' })
  expect(told('floating_ip', floating.id)).toMatchObject({ status: 'ERROR', fault: 'no router' })
  faults.clear()
  await cloud.engine.carrier.settled()
  expect(told('network', net.id)).toMatchObject({ status: 'ACTIVE', fault: null })
  expect(told('floating_ip', floating.id)).toMatchObject({ status: 'ACTIVE', fault: null })
})

test('retries a change that the host failed to apply', async () => {
  const dataplane = openPretendDataplane()
  let fails = 2
  cloud = await openSimulatedCloud({
    dataplane: {
      ...dataplane,
      apply: (wanted) => (fails-- > 0 ? Promise.reject(new Error('busy')) : dataplane.apply(wanted)),
    },
  })
  const { id } = await privateNetwork()
  await until('the network to be there', async () => dataplane.wanted?.networks.some((it) => it.id === id))
})

test('without networking, instances start in the default network, and other calls report what is missing', async () => {
  const facts = { available: false, rootless: true, programs: {}, vpn: { missing: null, esp: 'userland' as const } }
  const missing = [{ what: 'nft', because: 'not installed', command: 'apt-get install nftables' }]
  cloud = await openSimulatedCloud({
    dataplane: { ...openPretendDataplane(), probe: async () => ({ ...facts, missing }) },
  })
  const refused = { code: 'networking_unavailable', message: expect.stringContaining('apt-get install nftables') }
  expect(cloud.networking.unavailable()).toContain('nft')
  expect(await refusal(privateNetwork())).toMatchObject(refused)
  expect(await refusal(external())).toMatchObject(refused)
  expect(await refusal(cloud.networking.routers.create(scope, RouterDraft.parse({ name: 'edge' })))).toMatchObject(
    refused,
  )
  expect(await create(defaultNetworkId)).toMatchObject({ status: 'ACTIVE' })
  expect(await cloud.networking.host()).toMatchObject({
    facts: expect.arrayContaining([
      {
        ...{ name: 'nft', ok: false, detail: 'not installed', command: 'apt-get install nftables' },
        needed_for: 'networks',
      },
    ]),
  })
})

test('networking becomes available without a restart once the host supports it', async () => {
  const dataplane = openPretendDataplane()
  const missing = [{ what: 'nft', because: 'not installed', command: 'apt-get install nftables' }]
  const given = await dataplane.probe()
  let facts = { ...given, available: false, missing }
  let tell = () => {}
  cloud = await openSimulatedCloud({
    dataplane: {
      ...dataplane,
      probe: async () => facts,
      onAvailable(listener) {
        tell = listener
        return () => undefined
      },
    },
  })
  expect(cloud.networking.unavailable()).toContain('nft')
  facts = { ...given, missing: [] }
  tell()
  // the initial networks are applied immediately, and more can be created
  await until('the first networks to be carried', async () => dataplane.wanted?.networks.length === 2)
  expect(cloud.networking.unavailable()).toBe(null)
  const { id } = await privateNetwork()
  await until('the network to be carried', async () => dataplane.wanted?.networks.some((it) => it.id === id))
})

test('converts interfaces that were created before ports existed, and keeps their addresses', async () => {
  const memory = openMemory()
  cloud = await openSimulatedCloud({ memory })
  const server = await create(defaultNetworkId)
  const card = server.network_data[0]!
  const { security_groups: _, ...before } = card
  // data as saved by an earlier version
  await cloud.server.records.transaction(async (tx) => {
    await tx.put('server', { ...server, network_data: [before] })
    await tx.remove('port', card.port_id)
    for (const group of await tx.find<SecurityGroup>('security_group', {})) await tx.remove('security_group', group.id)
    await tx.putPrivate('port', card.port_id, { server_id: server.id, addresses: [], mac: card.mac_addr })
    await tx.removePrivate('networking', 'ports of cards')
  })
  const engine = { records: cloud.server.records, hypervisor: cloud.hypervisor, log: { info: () => undefined } }
  await adoptPorts(engine as never)
  const [group] = memory.all<SecurityGroup>('security_group')
  expect(group).toMatchObject({ name: 'default', project_id: 'ours', port_count: 1 })
  expect(port(card.port_id)).toMatchObject({
    ...{ mac_address: card.mac_addr, fixed_ips: card.fixed_ips, device_id: server.id, status: 'ACTIVE' },
    security_groups: [group!.id],
  })
  expect(memory.get<Instance>('server', server.id)!.network_data).toEqual([{ ...before, security_groups: [group!.id] }])
  expect(memory.privateCount('port')).toBe(0)
  // a second run changes nothing
  await adoptPorts(engine as never)
  expect(memory.get<SecurityGroup>('security_group', group!.id)).toMatchObject({ port_count: 1 })
})

/** Returns an instance's name in DNS, in its seed, and in its metadata. */
const namesOf = async (server: Instance, card = 0) => {
  const { port_id } = server.network_data[card]!
  const plan = await cloud.server.records.transaction((tx) => getPlan(tx, server.id))
  const told = await answerMetadata(cloud.server.records)({
    ...{ networkId: server.network_data[card]!.network_id, address: '', portId: port_id },
    ...{ method: 'GET', path: '/latest/meta-data/local-hostname', headers: {}, body: '' },
  })
  const wanted = cloud.hypervisor.dataplane?.wanted?.ports.find(({ id }) => id === port_id)
  return { dns: wanted?.hostname, seed: plan.hostname, metadata: String(told.body).replace('.cloud.internal', '') }
}
const same = (name: string) => ({ dns: name, seed: name, metadata: name })

test('a DNS name belongs to one instance per network; later instances get a suffix', async () => {
  cloud = await openSimulatedCloud()
  const [net, other] = [await privateNetwork(), await privateNetwork('10.1.0.0/24')]
  const first = await create(net.id, { name: 'Web 1' })
  const second = await create(net.id, { name: 'web-1' })
  expect(await namesOf(first)).toEqual(same('web-1'))
  expect(await namesOf(second)).toEqual(same(`web-1-${second.id.slice(0, 8)}`))
  expect(await namesOf(await create(other.id, { name: 'web-1' }))).toEqual(same('web-1'))

  // renaming never takes over the name of another instance, and deleting an instance frees its name
  await cloud.compute.instances.update(scope, second.id, { name: 'Web 1' })
  expect(await namesOf(first)).toEqual(same('web-1'))
  expect(await namesOf(second)).toEqual(same(`web-1-${second.id.slice(0, 8)}`))
  await cloud.compute.instances.delete(scope, first.id, null)
  await cloud.server.idle()
  expect(await namesOf(await create(net.id, { name: 'web-1' }))).toEqual(same('web-1'))
})

test('the DNS name of another instance is not taken over, and reserved names are replaced', async () => {
  cloud = await openSimulatedCloud()
  const [net, other] = [await privateNetwork(), await privateNetwork('10.1.0.0/24')]
  const owner = await create(net.id, { name: 'db' })
  const guest = await create(other.id, { name: 'db' })
  await cloud.networking.interfaces.attach(scope, guest.id, { id: net.id, fixed_ips: [], mac: null })
  await cloud.server.idle()
  const both = cloud.memory.get<Instance>('server', guest.id)!
  expect(await namesOf(both, 1)).toEqual({ ...same('db'), dns: null })
  expect(await namesOf(owner)).toEqual(same('db'))
  const local = await create(net.id, { name: 'localhost' })
  expect(await namesOf(local)).toEqual(same(`vm-${local.id.slice(0, 8)}`))
})

test('instances created before DNS names existed keep their names, and the oldest one wins a collision', async () => {
  cloud = await openSimulatedCloud()
  const net = await privateNetwork()
  const servers = [await create(net.id, { name: 'one' }), await create(net.id, { name: 'two' })]
  const loopback = await create(net.id, { name: 'three' })
  await cloud.server.records.transaction(async (tx) => {
    for (const { id, network_data } of [...servers, loopback]) {
      const { dns_name: _, ...older } = port(network_data[0]!.port_id)
      await tx.put('port', older)
      await putPlan(tx, id, { ...(await getPlan(tx, id)), hostname: id === loopback.id ? 'localhost' : 'instance' })
    }
  })
  const { records } = cloud.server
  await records.transaction((tx) => tx.removePrivate('networking', 'names of ports'))
  await adoptNames({ records, hypervisor: { ...cloud.hypervisor, settlesAtStart: true } } as never)
  const named = [...servers, loopback].map(({ network_data }) => port(network_data[0]!.port_id).dns_name)
  expect(named).toEqual(['instance', '', ''])
})

test('external networks must not overlap each other or the default network', async () => {
  cloud = await openSimulatedCloud()
  await external()
  for (const cidr of ['203.0.113.128/25', '10.20.7.0/24']) {
    const refused = await refusal(external([], cidr))
    expect(refused).toMatchObject({ code: 'cidr_overlaps', fields: { 'subnets.0.cidr': [expect.any(String)] } })
  }
})

test('deleting a project or domain removes it from the access policies of networks', async () => {
  cloud = await openSimulatedCloud()
  const { id } = await external([
    { target_project: 'gone', actions: ['routed'] },
    { target_project: 'stays', actions: ['direct'] },
    { target_domain: 'gone', actions: ['direct', 'routed'] },
  ])
  await cloud.networking.securityGroups.create(memberOf('gone'), { name: 'own', description: '' })
  await cloud.networking.ports.create(memberOf('gone'), { network_id: defaultNetworkId })
  const { records } = cloud.server
  await records.transaction((tx) => forgetProject(tx, 'gone'))
  await records.transaction((tx) => forgetDomain(tx, 'gone'))
  expect(cloud.memory.get<Network>('network', id)!.rbac_policies).toEqual([
    { target_project: 'stays', actions: ['direct'] },
  ])
  const left = cloud.memory.all<SecurityGroup>('security_group').filter(({ project_id }) => project_id === 'gone')
  expect(left.map(({ name }) => name)).toEqual(['own'])
})

test('project quotas apply to networks, subnets, ports, routers, floating IPs, security groups and rules', async () => {
  cloud = await openSimulatedCloud()
  await cloud.networking.quotaLimits.setOfProject(operator, scope, {
    ...{ networks: 1, subnets: 2, ports: 4, routers: 1, floatingip: 1, security_groups: 2, security_group_rules: 6 },
  })
  const { outside } = await reached()
  const { networking } = cloud
  const exceeded = (resource: string) => ({ code: 'quota_exceeded', data: { resource } })
  expect(await refusal(privateNetwork('10.9.0.0/24'))).toMatchObject(exceeded('networks'))
  expect(await refusal(networking.routers.create(scope, RouterDraft.parse({ name: 'second' })))).toMatchObject(
    exceeded('routers'),
  )
  const another = FloatingIpDraft.parse({ floating_network_id: outside.id })
  expect(await refusal(networking.floatingIps.create(scope, another))).toMatchObject(exceeded('floatingip'))
  // four ports: router interface, router gateway, network service, and network interface
  expect(await refusal(networking.ports.create(scope, { network_id: defaultNetworkId }))).toMatchObject(
    exceeded('ports'),
  )
  await networking.securityGroups.create(scope, { name: 'one', description: '' })
  const more = networking.securityGroups.create(scope, { name: 'two', description: '' })
  expect(await refusal(more)).toMatchObject(exceeded('security_groups'))
  expect(await networking.quotas(scope, 'ours')).toMatchObject({
    networks: { limit: 1, used: 1 },
    routers: { used: 1 },
  })
})

test('refuses an MTU that this host cannot provide, with an error on the field, and saves nothing', async () => {
  cloud = await openSimulatedCloud()
  const { networks, subnets } = cloud.networking
  const create = (mtu: number, cidr = '10.0.0.0/24') =>
    networks.createPrivate(scope, PrivateNetworkDraft.parse({ name: 'inner', mtu, subnets: [{ cidr }] }))
  const refused = { code: 'validation', fields: { mtu: [expect.stringMatching(/576|1280/)] } }
  const count = cloud.memory.all('network').length
  for (const mtu of [60, 575]) expect(await refusal(create(mtu)), String(mtu)).toMatchObject(refused)
  expect(await refusal(create(1279, 'fd00:1::/64'))).toMatchObject(refused)
  expect(cloud.memory.all('network')).toHaveLength(count)

  const { id } = await create(576)
  expect(await refusal(networks.update(scope, id, { mtu: 300 }))).toMatchObject(refused)
  expect(cloud.memory.get('network', id)).toMatchObject({ mtu: 576 })
  const six = SubnetDraft.parse({ network_id: id, cidr: 'fd00:1::/64' })
  expect(await refusal(subnets.create(scope, six))).toMatchObject({ fields: { cidr: [expect.any(String)] } })
})

test('a router’s addresses can be changed to one free address per subnet, but not to a next hop of its routes', async () => {
  cloud = await openSimulatedCloud()
  const { networks, ports, routers } = cloud.networking
  const subnets = [{ cidr: '10.0.0.0/24' }, { cidr: 'fd00:1::/64' }]
  const net = await networks.createPrivate(scope, PrivateNetworkDraft.parse({ name: 'inner', subnets }))
  const { id, interfaces_info } = await routers.create(
    scope,
    RouterDraft.parse({ name: 'edge', internal_interfaces: [{ network_id: net.id }] }),
  )
  const portId = interfaces_info[0]!.port_id
  const addresses = () => port(portId).fixed_ips.map(({ ip_address }) => ip_address)
  const move = (...asked: string[]) =>
    ports.update(scope, portId, { fixed_ips: asked.map((ip_address) => ({ ip_address })) })
  await routers.update(scope, id, { routes: [{ destination: '10.9.0.0/16', nexthop: '10.0.0.77' }] })
  const taken = await ports.create(scope, { network_id: net.id })
  const used = taken.fixed_ips[0]!.ip_address
  for (const wrong of [['10.0.0.9'], ['10.0.0.77', 'fd00:1::1'], [used, 'fd00:1::1'], ['10.1.0.9', 'fd00:1::1']])
    expect(await refusal(move(...wrong)), wrong.join()).toMatchObject({ fields: { fixed_ips: [expect.any(String)] } })
  expect(addresses()).toEqual(['10.0.0.1', 'fd00:1::1'])

  await move('10.0.0.9', 'fd00:1::1')
  expect(addresses()).toEqual(['10.0.0.9', 'fd00:1::1'])
  expect(cloud.memory.get<Router>('router', id)!.interfaces_info).toMatchObject([{ fixed_ips: port(portId).fixed_ips }])
  // the gateway address, which the router had before, is available again
  await move('10.0.0.1', 'fd00:1::1')
  expect(addresses()).toEqual(['10.0.0.1', 'fd00:1::1'])
  const stranger = ports.update(memberOf('others'), portId, { fixed_ips: [{ ip_address: '10.0.0.9' }] })
  expect(await refusal(stranger)).toMatchObject({ code: 'not_found' })
})

test('the gateway address is normalized and reserved, whatever notation is used', async () => {
  cloud = await openSimulatedCloud()
  const { networks, ports, routers, subnets } = cloud.networking
  const stateful = { ipv6_address_mode: 'dhcpv6-stateful', ipv6_ra_mode: 'dhcpv6-stateful' }
  const draft = { name: 'inner', subnets: [{ cidr: 'FD00:20:0::/64', gateway_ip: 'FD00:20:0:0::1', ...stateful }] }
  const net = await networks.createPrivate(scope, PrivateNetworkDraft.parse(draft))
  const [subnet] = net.subnets
  expect(subnet).toMatchObject({ cidr: 'fd00:20::/64', gateway_ip: 'fd00:20::1' })
  const taking = PortDraft.parse({ network_id: net.id, fixed_ips: [{ ip_address: 'fd00:0020::1' }] })
  expect(await refusal(ports.create(scope, taking))).toMatchObject({ code: 'ip_address_in_use' })

  const router = RouterDraft.parse({ name: 'edge', internal_interfaces: [{ network_id: net.id }] })
  const { id } = await routers.create(scope, router)
  const moved = (gateway_ip: string) => subnets.update(scope, subnet!.id, SubnetChange.parse({ gateway_ip }))
  expect(await moved('FD00:20::0:1')).toMatchObject({ gateway_ip: 'fd00:20::1' })
  expect(await refusal(moved('FD00:20::9'))).toMatchObject({ code: 'subnet_in_use' })
  const routes = [{ destination: 'fd99::/64', nexthop: 'FD00:20:0::0:1' }]
  expect(await refusal(routers.update(scope, id, RouterChange.parse({ routes })))).toMatchObject({
    fields: { 'routes.0.nexthop': [expect.any(String)] },
  })
})
