import { randomBytes } from 'node:crypto'
import type { Network } from '@mainstay/contract/networking/networks'
import { NetworkSubnetDraft, SubnetDraft } from '@mainstay/contract/networking/subnets'
import { PrivateNetworkDraft, PublicNetworkDraft, VlanNetworkDraft } from '@mainstay/contract/networking/networks'
import { FloatingIpDraft, type FloatingIp } from '@mainstay/contract/networking/floating-ips'
import { PortDraft, type Port } from '@mainstay/contract/networking/ports'
import { RouterDraft, type Router } from '@mainstay/contract/networking/routers'
import { SecurityGroupRuleDraft } from '@mainstay/contract/networking/security-group-rules'
import { SecurityGroupDraft, type SecurityGroup } from '@mainstay/contract/networking/security-groups'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openCloudUnderTest, type RealCloud } from '../../../../server/src/testing/cloud-under-test'
import { refusal, until } from '../../conformance/cloud'
import { signInPlainly } from '../testing/plain-client'

/*
 * Networks in a real cloud: tests that do not apply to every engine (see `conformance/`), and the cloud's own error
 * messages.
 */

let cloud: RealCloud
/** An external network for routers in all projects. */
let outside: Network
/** One of the VLANs of the development cloud. */
const vlan_id = 100 + (randomBytes(1)[0]! % 100)
const name = (what: string) => `${cloud.prefix}${what}`

beforeAll(async () => {
  cloud = await openCloudUnderTest()
}, 600_000)
afterAll(() => cloud?.close(), 600_000)

const makeNetwork = (what: string, cidrs: string[]) =>
  cloud.networking.networks.createPrivate(
    cloud.member,
    PrivateNetworkDraft.parse({ name: name(what), subnets: cidrs.map((cidr) => ({ cidr })) }),
  )
const remove = (network: Network) =>
  cloud.networking.networks.delete(cloud.member, network.id, { vlanInterfaces: true })

describe('networks in a real cloud', () => {
  test('creates a network with its subnets, changes and deletes it', async () => {
    const { networks, subnets } = cloud.networking
    const made = await makeNetwork('plain', ['10.201.0.0/24', 'fd00:201::/64'])
    expect(made).toMatchObject({ status: 'ACTIVE', type: 'vxlan', router_external: false, rbac_policies: [] })
    const v4 = made.subnets.find(({ ip_version }) => ip_version === 4)!
    expect(v4).toMatchObject({
      gateway_ip: '10.201.0.1',
      allocation_pools: [{ start: '10.201.0.2', end: '10.201.0.254' }],
    })
    expect(made.subnets.find(({ ip_version }) => ip_version === 6)).toMatchObject({ ipv6_address_mode: 'slaac' })
    expect(await networks.update(cloud.member, made.id, { name: name('renamed'), mtu: 1400 })).toMatchObject({
      name: name('renamed'),
      mtu: 1400,
    })
    expect(await refusal(networks.update(cloud.member, made.id, { mtu: 9000 }))).toMatchObject({
      fields: { mtu: [expect.any(String)] },
    })
    const moved = await subnets.update(cloud.member, v4.id, { gateway_ip: '10.201.0.9', dns_nameservers: ['9.9.9.9'] })
    expect(moved).toMatchObject({ gateway_ip: '10.201.0.9', dns_nameservers: ['9.9.9.9'] })
    expect(moved.allocation_pools).toHaveLength(2)
    const third = subnets.create(cloud.member, SubnetDraft.parse({ network_id: made.id, cidr: '10.202.0.0/24' }))
    expect(await refusal(third)).toMatchObject({ fields: { cidr: [expect.any(String)] } })
    await subnets.delete(cloud.member, v4.id)
    expect((await cloud.row<Network>('network', made.id))!.subnets).toHaveLength(1)
    await remove(made)
    expect(await cloud.row('network', made.id)).toBeNull()
  })

  test('leaves no network behind when one of its subnets is refused', async () => {
    const { networks } = cloud.networking
    const admin = await signInPlainly(cloud.fixture.operator.access)
    const draft = PrivateNetworkDraft.parse({
      name: name('refused'),
      subnets: [
        NetworkSubnetDraft.parse({ cidr: '10.203.0.0/24' }),
        NetworkSubnetDraft.parse({ cidr: '10.204.0.0/24' }),
      ],
    })
    expect(await refusal(networks.createPrivate(cloud.member, draft))).toMatchObject({
      fields: { 'subnets.1.cidr': [expect.any(String)] },
    })
    const left = await admin.list<{ id: string }>('network', `/networks?name=${name('refused')}`, 'networks')
    expect(left).toEqual([])
  })

  test('creates an external network for some projects, and shares it with others', async () => {
    const { networks } = cloud.networking
    const physical = await networks.physicalNetworks(cloud.operator)
    expect(physical).toContainEqual({ id: 'public', name: 'public', mtu: 1500, vlans: true, host_only: false })
    const draft = VlanNetworkDraft.parse({
      name: name('outside'),
      vlan_network: 'public',
      vlan_id,
      subnets: [{ cidr: '198.51.100.0/24', enable_dhcp: false }],
      rbac_policies: [{ target_project: cloud.member.project_id, actions: ['routed'] }],
    })
    const { task_id, ...made } = await networks.createVlan(cloud.operator, draft)
    outside = made
    expect(task_id).toMatch(/./)
    expect(made).toMatchObject({
      type: 'vlan',
      vlan_id,
      physical_network: 'public',
      router_external: true,
      shared: false,
      rbac_policies: [{ target_project: cloud.member.project_id, actions: ['routed'] }],
    })
    const policies = [{ target_project: '*', actions: ['direct' as const, 'routed' as const] }]
    expect(await networks.update(cloud.operator, made.id, { rbac_policies: policies })).toMatchObject({
      shared: true,
      rbac_policies: policies,
    })
    outside = await networks.update(cloud.operator, made.id, {
      rbac_policies: [{ target_project: '*', actions: ['routed'] }],
    })
    expect(outside).toMatchObject({ shared: false, router_external: true })
    const domain = networks.update(cloud.operator, made.id, {
      rbac_policies: [{ target_domain: 'default', actions: ['routed'] }],
    })
    expect(await refusal(domain)).toMatchObject({
      code: 'unsupported',
      fields: { 'rbac_policies.0.target_domain': [expect.any(String)] },
    })

    expect(await refusal(networks.createVlan(cloud.operator, draft))).toMatchObject({
      code: 'vlan_in_use',
      fields: { vlan_id: [expect.any(String)] },
    })
    const nowhere = PublicNetworkDraft.parse({ name: name('nowhere'), physical_network: 'no-such-network' })
    expect(await refusal(networks.createPublic(cloud.operator, nowhere))).toMatchObject({
      code: 'no_vm_public',
      fields: { physical_network: [expect.any(String)] },
    })
  })

  test('creates a router with networks, gateway and floating IPs, and deletes it with its interfaces', async () => {
    const { routers, floatingIps, ports, networks } = cloud.networking
    const [left, right, lonely] = [
      await makeNetwork('left', ['10.211.0.0/24', 'fd00:211::/64']),
      await makeNetwork('right', ['10.212.0.0/24']),
      await makeNetwork('overlapping', ['10.211.0.0/25']),
    ]
    const draft = RouterDraft.parse({
      name: name('router'),
      external_gateway_info: { network_id: outside.id },
      internal_interfaces: [{ network_id: left.id }, { network_id: right.id, ip_address: '10.212.0.77' }],
    })
    const router = await routers.create(cloud.member, draft)
    expect(router).toMatchObject({
      status: 'ACTIVE',
      external_gateway_info: { network_id: outside.id, network_name: name('outside'), enable_snat: true },
    })
    const addresses = (row: Router) =>
      row.interfaces_info.flatMap(({ fixed_ips }) => fixed_ips.map((it) => it.ip_address)).toSorted()
    expect(addresses(router)).toEqual(['10.211.0.1', '10.212.0.77', 'fd00:211::1'])
    const gatewayPort = await cloud.row<Port>('port', router.external_interface!.port_id)
    expect(gatewayPort).toMatchObject({ device_name: name('router'), network_id: outside.id })

    expect(await refusal(routers.addInterface(cloud.member, router.id, { network_id: lonely.id }))).toMatchObject({
      code: 'overlapping_subnet',
      fields: { network_id: [expect.any(String)] },
    })
    const broken = RouterDraft.parse({
      name: name('broken'),
      internal_interfaces: [{ network_id: lonely.id }, { network_id: right.id, ip_address: '10.212.0.77' }],
    })
    expect(await refusal(routers.create(cloud.member, broken))).toMatchObject({
      code: 'ip_address_in_use',
      fields: { 'internal_interfaces.1.ip_address': [expect.any(String)] },
    })
    const admin = await signInPlainly(cloud.fixture.operator.access)
    expect(await admin.list('network', `/routers?name=${name('broken')}`, 'routers')).toEqual([])

    const routes = [{ destination: '10.250.0.0/16', nexthop: '10.212.0.9' }]
    expect(await routers.update(cloud.member, router.id, { routes })).toMatchObject({ routes })
    const far = [{ destination: '10.250.0.0/16', nexthop: '10.240.0.9' }]
    expect(await refusal(routers.update(cloud.member, router.id, { routes: far }))).toMatchObject({
      code: 'nexthop_unreachable',
      fields: { 'routes.0.nexthop': [expect.any(String)] },
    })
    expect(await refusal(routers.removeInterface(cloud.member, router.id, right.id))).toMatchObject({
      code: 'router_interface_in_use',
      data: { used_by: [{ kind: 'route', name: '10.250.0.0/16' }] },
    })

    const port = await ports.create(
      cloud.member,
      PortDraft.parse({ network_id: left.id, name: name('port'), tags: ['a'] }),
    )
    expect(port).toMatchObject({ network_name: name('left'), tags: ['a'], status: 'DOWN', device_id: '' })
    const stray = await ports.create(cloud.member, PortDraft.parse({ network_id: lonely.id }))
    const floating = await floatingIps.create(
      cloud.member,
      FloatingIpDraft.parse({ floating_network_id: outside.id, port_id: port.id, description: 'shop' }),
    )
    expect(floating).toMatchObject({
      port_id: port.id,
      router_id: router.id,
      floating_network_name: name('outside'),
      fixed_ip_address: port.fixed_ips.find(({ ip_address }) => ip_address.startsWith('10.'))!.ip_address,
      description: 'shop',
      attachment: null,
    })
    expect((await cloud.row<Port>('port', port.id))!.floating_ips).toEqual([floating.id])
    const second = FloatingIpDraft.parse({ floating_network_id: outside.id, port_id: port.id })
    expect(await refusal(floatingIps.create(cloud.member, second))).toMatchObject({
      code: 'port_already_has_fip',
      fields: { port_id: [expect.any(String)] },
    })
    expect(await refusal(floatingIps.update(cloud.member, floating.id, { port_id: stray.id }))).toMatchObject({
      code: 'not_routable',
      fields: { port_id: [expect.any(String)] },
    })
    expect(await refusal(ports.delete(cloud.member, port.id))).toMatchObject({
      code: 'port_in_use',
      data: { used_by: [{ kind: 'floating_ip', name: floating.floating_ip_address }] },
    })
    const needing = { used_by: [{ kind: 'floating_ip', id: floating.id }] }
    expect(await refusal(routers.removeInterface(cloud.member, router.id, left.id))).toMatchObject({
      code: 'router_interface_in_use',
      data: needing,
    })
    expect(addresses((await cloud.row<Router>('router', router.id))!)).toEqual([
      '10.211.0.1',
      '10.212.0.77',
      'fd00:211::1',
    ])
    expect(await refusal(routers.update(cloud.member, router.id, { external_gateway_info: null }))).toMatchObject({
      code: 'router_in_use',
      data: needing,
    })
    expect(await refusal(routers.delete(cloud.member, router.id, { withInterfaces: true }))).toMatchObject({
      code: expect.stringMatching(/in_use$/),
      data: needing,
    })
    // the interfaces removed for the deletion have been restored
    const again = await cloud.row<Router>('router', router.id)
    expect(addresses(again!)).toEqual(['10.211.0.1', '10.212.0.77', 'fd00:211::1'])

    expect(await floatingIps.update(cloud.member, floating.id, { port_id: null })).toMatchObject({
      port_id: null,
      fixed_ip_address: null,
      status: 'DOWN',
    })
    expect((await cloud.row<Port>('port', port.id))!.floating_ips).toEqual([])
    await floatingIps.delete(cloud.member, floating.id)
    expect(await cloud.row<FloatingIp>('floating_ip', floating.id)).toBeNull()

    expect(await refusal(networks.delete(cloud.member, left.id, { vlanInterfaces: true }))).toMatchObject({
      code: 'network_in_use',
      data: { used_by: expect.arrayContaining([{ kind: 'router', id: router.id, name: name('router') }]) },
    })
    expect(await refusal(routers.delete(cloud.member, router.id, { withInterfaces: false }))).toMatchObject({
      code: 'router_in_use',
      data: { used_by: expect.arrayContaining([{ kind: 'network', id: right.id, name: name('right') }]) },
    })
    await routers.delete(cloud.member, router.id, { withInterfaces: true })
    await until('the router to be gone', async () => (await cloud.row('router', router.id)) === null)
    for (const { id } of [port, stray]) await ports.delete(cloud.member, id)
    for (const network of [left, right, lonely]) await remove(network)
  })

  test('counts the ports of security groups, adds each rule once, and refuses to delete a group in use', async () => {
    const { securityGroups, securityGroupRules, ports } = cloud.networking
    const group = await securityGroups.create(cloud.member, SecurityGroupDraft.parse({ name: name('web') }))
    expect(
      group.security_group_rules.map(({ direction, ethertype }) => `${direction} ${ethertype}`).toSorted(),
    ).toEqual(['egress IPv4', 'egress IPv6'])
    const draft = SecurityGroupRuleDraft.parse({
      ...{ security_group_id: group.id, direction: 'ingress', protocol: 'tcp', port_range_min: 22, port_range_max: 22 },
    })
    const rule = await securityGroupRules.create(cloud.member, draft)
    expect(rule).toMatchObject({ protocol: 'tcp', port_range_min: 22, remote_ip_prefix: null })
    expect(await securityGroupRules.create(cloud.member, draft)).toEqual(rule)
    const any = { ...draft, remote_ip_prefix: '0.0.0.0/0' }
    expect(await securityGroupRules.create(cloud.member, any)).toEqual(rule)
    const six = SecurityGroupRuleDraft.parse({
      ...{ security_group_id: group.id, direction: 'ingress', ethertype: 'IPv6', protocol: 'icmpv6' },
    })
    expect(await securityGroupRules.create(cloud.member, six)).toMatchObject({ protocol: 'icmpv6' })
    expect(await refusal(securityGroupRules.create(cloud.member, { ...draft, port_range_max: 21 }))).toMatchObject({
      code: 'invalid_port_range',
      fields: { port_range_max: [expect.any(String)] },
    })
    const nobody = { ...draft, remote_group_id: '00000000-0000-4000-8000-000000000000' }
    expect(await refusal(securityGroupRules.create(cloud.member, nobody))).toMatchObject({
      code: 'validation',
      fields: { remote_group_id: [expect.any(String)] },
    })
    expect((await cloud.row<SecurityGroup>('security_group', group.id))!.security_group_rules).toHaveLength(4)

    const other = await securityGroups.create(cloud.member, SecurityGroupDraft.parse({ name: name('other') }))
    const naming = await securityGroupRules.create(cloud.member, {
      ...draft,
      security_group_id: other.id,
      remote_group_id: group.id,
    })
    expect(await refusal(securityGroups.delete(cloud.member, group.id))).toMatchObject({
      code: 'security_group_in_use',
      data: { used_by: [{ kind: 'security_group', id: other.id, name: name('other') }] },
    })
    await securityGroupRules.delete(cloud.member, naming.id)
    const port = await ports.create(
      cloud.member,
      PortDraft.parse({ network_id: cloud.network, name: name('guarded'), security_groups: [group.id] }),
    )
    await until('the group to count its port', async () => {
      return (await cloud.row<SecurityGroup>('security_group', group.id))!.port_count === 1
    })
    expect(await refusal(securityGroups.delete(cloud.member, group.id))).toMatchObject({
      code: 'security_group_in_use',
      data: { used_by: [{ kind: 'port', id: port.id, name: name('guarded') }] },
    })
    expect(await ports.update(cloud.member, port.id, { spoofing_protection: false })).toMatchObject({
      spoofing_protection: false,
      security_groups: [],
    })
    await until('the group to count none', async () => {
      return (await cloud.row<SecurityGroup>('security_group', group.id))!.port_count === 0
    })
    await ports.delete(cloud.member, port.id)
    await securityGroups.delete(cloud.member, group.id)
    await securityGroups.delete(cloud.member, other.id)
    expect(await cloud.row('security_group_rule', rule.id)).toBeNull()
  })

  test('refuses invalid port addresses, with errors on the fields at fault', async () => {
    const { ports } = cloud.networking
    const network = await makeNetwork('small', ['10.221.0.0/29'])
    const at = (ip_address: string, more: object = {}) =>
      ports.create(cloud.member, PortDraft.parse({ network_id: network.id, fixed_ips: [{ ip_address }], ...more }))
    const first = await at('10.221.0.3', { mac_address: 'fa:16:3e:00:be:ef' })
    expect(await refusal(at('10.221.0.3'))).toMatchObject({
      code: 'ip_address_in_use',
      fields: { fixed_ips: [expect.any(String)] },
    })
    expect(await refusal(at('10.99.0.3'))).toMatchObject({
      code: 'validation',
      fields: { fixed_ips: [expect.any(String)] },
    })
    expect(await refusal(at('10.221.0.4', { mac_address: 'fa:16:3e:00:be:ef' }))).toMatchObject({
      fields: { mac_address: [expect.any(String)] },
    })
    const made = [first]
    const taken = async () => {
      for (;;) made.push(await ports.create(cloud.member, PortDraft.parse({ network_id: network.id })))
    }
    expect(await refusal(taken())).toMatchObject({
      code: 'no_free_addresses',
      fields: { network_id: [expect.any(String)] },
    })
    for (const { id } of made) await ports.delete(cloud.member, id)
    await remove(network)
  })

  test("uses the cloud's quotas and shows their usage", async () => {
    const { networking, compute } = cloud
    const { project_id, domain_id } = cloud.member
    const { networks } = await networking.quotas(cloud.member, project_id)
    const limits = { networks: networks.used + 1, floatingip: 7 }
    await compute.quotaLimits.setOfProject(cloud.operator, { project_id, domain_id }, limits)
    expect(await networking.quotas(cloud.member, project_id)).toMatchObject({
      networks: { limit: networks.used + 1, used: networks.used },
      floatingip: { limit: 7 },
    })
    const network = await makeNetwork('last', [])
    expect(network).toMatchObject({ ipam_enabled: false, subnets: [] })
    expect(await refusal(makeNetwork('too-many', []))).toMatchObject({
      code: 'quota_exceeded',
      data: { resource: 'networks' },
    })
    await remove(network)
    await compute.quotaLimits.setOfProject(cloud.operator, { project_id, domain_id }, { networks: 100 })
  })

  test('picks up changes made by other clients', async () => {
    const ours = await signInPlainly(cloud.fixture.ours.access)
    const { network } = await ours.call<{ network: { id: string } }>('network', 'POST', '/networks', {
      network: { name: name('elsewhere') },
    })
    await until('the network', () => cloud.row('network', network.id))
    const { router } = await ours.call<{ router: { id: string } }>('network', 'POST', '/routers', {
      router: { name: name('elsewhere') },
    })
    await until('the router', () => cloud.row('router', router.id))
    const { subnet } = await ours.call<{ subnet: { id: string } }>('network', 'POST', '/subnets', {
      subnet: { network_id: network.id, ip_version: 4, cidr: '10.231.0.0/24' },
    })
    await ours.call('network', 'PUT', `/routers/${router.id}/add_router_interface`, { subnet_id: subnet.id })
    const leg = await until(
      'the interface',
      async () => (await cloud.row<Router>('router', router.id))!.interfaces_info[0],
    )
    expect(leg).toMatchObject({ network_name: name('elsewhere'), is_external: false })
    expect(await until('its port', () => cloud.row<Port>('port', leg.port_id))).toMatchObject({
      device_id: router.id,
      device_name: name('elsewhere'),
    })
    await ours.call('network', 'PUT', `/routers/${router.id}`, { router: { name: name('other-name') } })
    await until('the name of the router at its port', async () => {
      return (await cloud.row<Port>('port', leg.port_id))!.device_name === name('other-name')
    })
    await ours.call('network', 'PUT', `/routers/${router.id}/remove_router_interface`, { subnet_id: subnet.id })
    await until(
      'no interface',
      async () => (await cloud.row<Router>('router', router.id))!.interfaces_info.length === 0,
    )
    await until('no port', async () => (await cloud.row('port', leg.port_id)) === null)
    await ours.call('network', 'DELETE', `/routers/${router.id}`)
    await ours.call('network', 'DELETE', `/networks/${network.id}`)
    for (const [kind, id] of [
      ['router', router.id],
      ['network', network.id],
      ['subnet', subnet.id],
    ] as const)
      await until(`no ${kind}`, async () => (await cloud.row(kind, id)) === null)
  })
})
