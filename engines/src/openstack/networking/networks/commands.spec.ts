import {
  PrivateNetworkDraft,
  PublicNetworkDraft,
  VlanNetworkDraft,
  type Network,
} from '@mainstay/contract/networking/networks'
import { SubnetDraft, type Subnet } from '@mainstay/contract/networking/subnets'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { refusal } from '../../../conformance/cloud'
import { startNetworkingFixture, type NetworkingFixture } from '../../testing/networking-fixture'
import { neutronRefusal } from '../../testing/fake-cloud/refusals'

let fixture: NetworkingFixture
beforeEach(async () => {
  fixture = await startNetworkingFixture()
})
afterEach(() => fixture.close())

const draft = PrivateNetworkDraft.parse({
  name: 'backend',
  subnets: [{ cidr: '10.1.0.0/24' }, { cidr: 'fd00:1::/64', ipv6_address_mode: 'none' }],
  spoofing_protection: false,
})
const sent = (verb: string, path: string) =>
  fixture.cloud.received.filter((it) => it.verb === verb && it.path === path).map(({ body }) => body as object)
const busy = () => neutronRefusal(503, 'ServiceUnavailable', 'The service is busy')

test("creates a network with its subnets, using the caller's token", async () => {
  const network = await fixture.networks.createPrivate(fixture.member, draft)
  expect(network).toMatchObject({ name: 'backend', type: 'vxlan', project_id: 'p-demo', spoofing_protection: false })
  expect(network.subnets.map(({ cidr }) => cidr).toSorted()).toEqual(['10.1.0.0/24', 'fd00:1::/64'])
  expect(fixture.indexed<Subnet>('subnet', network.subnets[0]!.id)).toMatchObject({ network_id: network.id })
  expect(sent('POST', '/networks')).toMatchObject([{ network: { port_security_enabled: false } }])
  const [v4, v6] = sent('POST', '/subnets') as { subnet: object }[]
  expect(v4!.subnet).toMatchObject({ cidr: '10.1.0.0/24', gateway_ip: '10.1.0.1', enable_dhcp: true })
  expect(v4!.subnet).not.toHaveProperty('allocation_pools')
  // Neutron has no value for "none"
  expect(v6!.subnet).not.toHaveProperty('ipv6_ra_mode')
  expect(fixture.cloud.received.find(({ verb, path }) => verb === 'POST' && path === '/subnets')!.token!.user.id).toBe(
    'u-demo',
  )
  // no task has started and no intent is left
  expect([fixture.begun, fixture.intents.open.size]).toEqual([[], 0])
})

test('reports an invalid subnet on the field at fault before calling the cloud', async () => {
  const subnets = (...given: object[]) => PrivateNetworkDraft.parse({ name: 'one', subnets: given })
  const wrong: [draft: PrivateNetworkDraft, code: string, field: string][] = [
    [
      subnets({
        cidr: '10.0.0.0/24',
        gateway_ip: '10.0.0.9',
        allocation_pools: [{ start: '10.0.0.5', end: '10.0.0.20' }],
      }),
      'gateway_in_pool',
      'subnets.0.allocation_pools.0',
    ],
    [subnets({ cidr: '10.0.0.0/24', gateway_ip: '10.9.0.1' }), 'validation', 'subnets.0.gateway_ip'],
    [subnets({ cidr: '10.0.0.0/30' }), 'validation', 'subnets.0.cidr'],
    [subnets({ cidr: 'fd00::/80' }), 'validation', 'subnets.0.cidr'],
    [subnets({ cidr: '10.0.0.0/24' }, { cidr: '10.1.0.0/24' }), 'validation', 'subnets.1.cidr'],
  ]
  for (const [given, code, field] of wrong)
    expect(await refusal(fixture.networks.createPrivate(fixture.member, given)), field).toMatchObject({
      code,
      fields: { [field]: [expect.any(String)] },
    })
  expect(sent('POST', '/networks')).toEqual([])
})

test('leaves no network behind when the cloud refuses a subnet', async () => {
  fixture.cloud.on('network', 'POST', '/subnets', () =>
    neutronRefusal(
      409,
      'SubnetAllocationError',
      'Cannot allocate requested subnet from the available set of prefixes.',
    ),
  )
  expect(await refusal(fixture.networks.createPrivate(fixture.member, draft))).toMatchObject({
    code: 'cidr_overlaps',
    fields: { 'subnets.0.cidr': [expect.any(String)] },
  })
  expect([fixture.neutron.rows.networks.size, fixture.intents.open.size]).toEqual([0, 0])
})

test('deletes an incomplete network later if it cannot be deleted immediately, and keeps a complete one', async () => {
  let isAway = true
  fixture.cloud.on('network', 'POST', '/subnets', busy)
  const { rows } = fixture.neutron
  fixture.cloud.on('network', 'DELETE', '/networks/:id', ({ params }) => {
    if (isAway) return busy()
    rows.networks.delete(params['id']!)
    return { status: 204 }
  })
  expect(await refusal(fixture.networks.createPrivate(fixture.member, draft))).toMatchObject({
    code: 'engine_unavailable',
  })
  expect([rows.networks.size, fixture.intents.open.size]).toEqual([1, 1])
  isAway = false
  await fixture.runIntent()
  expect(rows.networks.size).toBe(0)

  // the server dies after the last call
  fixture.intents.isCutOff = true
  const plain = PrivateNetworkDraft.parse({ name: 'plain' })
  const made = await fixture.networks.createPrivate(fixture.member, plain)
  await fixture.runIntent()
  expect([...rows.networks.keys()]).toEqual([made.id])
})

test("takes a range from the network's subnet pool, or from the cloud's default pool", async () => {
  const pool = fixture.neutron.add('subnetpools', { is_default: true, ip_version: 4, prefixes: ['10.0.0.0/8'] })
  await fixture.networks.createPrivate(fixture.member, draft)
  const six = fixture.neutron.add('networks', { name: 'six' })
  fixture.neutron.add('subnets', { network_id: six.id, ip_version: 4, cidr: '192.168.0.0/24', subnetpool_id: 'own' })
  await fixture.networks.createPrivate(
    fixture.member,
    PrivateNetworkDraft.parse({ name: 'one', subnets: [{ cidr: '192.168.7.0/24' }] }),
  )
  const pools = sent('POST', '/subnets').map(
    (body) => (body as { subnet: { subnetpool_id?: string } }).subnet.subnetpool_id,
  )
  expect(pools).toEqual([pool.id, undefined, undefined])
})

test('shares an external network with its projects before it has addresses', async () => {
  fixture.neutron.add('agents', { configurations: { 'bridge-mappings': 'public:br-ex, rack:br-rack' } })
  fixture.neutron.add('agents', { configurations: { bridge_mappings: { public: 'br-ex' } } })
  const ranges = [{ id: 'r1', network_type: 'vlan', physical_network: 'rack' }]
  fixture.cloud.list('network', '/network_segment_ranges', 'network_segment_ranges', ranges)
  expect(await fixture.networks.physicalNetworks(fixture.operator)).toEqual([
    { id: 'public', name: 'public', mtu: 1500, vlans: false, host_only: false },
    { id: 'rack', name: 'rack', mtu: 1500, vlans: true, host_only: false },
  ])
  const policies = [
    { target_project: '*', actions: ['routed'] },
    { target_project: 'p-demo', actions: ['routed', 'direct'] },
  ]
  const made = await fixture.networks.createVlan(
    fixture.operator,
    VlanNetworkDraft.parse({
      ...{ name: 'outside', vlan_network: 'rack', vlan_id: 42, rbac_policies: policies },
      subnets: [{ cidr: '198.51.100.0/24' }],
    }),
  )
  expect(made).toMatchObject({
    type: 'vlan',
    vlan_id: 42,
    physical_network: 'rack',
    router_external: true,
    shared: false,
    rbac_policies: [
      { target_project: '*', actions: ['routed'] },
      { target_project: 'p-demo', actions: ['direct', 'routed'] },
    ],
    task_id: 'task 1',
  })
  const order = fixture.cloud.received
    .filter(({ verb, service }) => verb === 'POST' && service === 'network')
    .map(({ path }) => path)
  expect(order).toEqual(['/networks', '/rbac-policies', '/rbac-policies', '/rbac-policies', '/subnets'])
  expect(await fixture.runTask()).toEqual({ id: made.id })

  const elsewhere = PublicNetworkDraft.parse({ name: 'one', physical_network: 'nowhere' })
  expect(await refusal(fixture.networks.createPublic(fixture.operator, elsewhere))).toMatchObject({
    code: 'no_vm_public',
    fields: { physical_network: [expect.any(String)] },
  })
  fixture.cloud.on('network', 'POST', '/networks', () =>
    neutronRefusal(409, 'VlanIdInUse', 'Unable to create the network. The VLAN 42 on physical network rack is in use.'),
  )
  const again = VlanNetworkDraft.parse({ name: 'one', vlan_network: 'rack', vlan_id: 42 })
  expect(await refusal(fixture.networks.createVlan(fixture.operator, again))).toMatchObject({
    code: 'vlan_in_use',
    fields: { vlan_id: [expect.any(String)] },
  })
})

test('replaces policies, adding new ones first, and restores all if one cannot be removed', async () => {
  const id = await fixture.outside()
  const { rows } = fixture.neutron
  const told = () =>
    [...rows['rbac-policies'].values()].map((it) => `${String(it['action'])} ${String(it['target_tenant'])}`).toSorted()
  const changed = await fixture.networks.update(fixture.operator, id, {
    name: 'renamed',
    rbac_policies: [{ target_project: 'p-demo', actions: ['direct'] }],
  })
  expect(changed).toMatchObject({ name: 'renamed', rbac_policies: [{ target_project: 'p-demo', actions: ['direct'] }] })
  expect(told()).toEqual(['access_as_shared p-demo'])

  fixture.cloud.on('network', 'DELETE', '/rbac-policies/:id', ({ params }) => {
    if (rows['rbac-policies'].get(params['id']!)!['target_tenant'] === 'p-demo')
      return neutronRefusal(409, 'RbacPolicyInUse', 'RBAC policy cannot be removed because other objects depend on it.')
    rows['rbac-policies'].delete(params['id']!)
    return { status: 204 }
  })
  const refused = fixture.networks.update(fixture.operator, id, {
    name: 'other',
    rbac_policies: [{ target_project: '*', actions: ['routed'] }],
  })
  expect(await refusal(refused)).toMatchObject({
    code: 'network_in_use',
    fields: { rbac_policies: [expect.any(String)] },
  })
  expect([told(), rows.networks.get(id)!['name']]).toEqual([['access_as_shared p-demo'], 'renamed'])

  const ofDomain = fixture.networks.update(fixture.operator, id, {
    rbac_policies: [{ target_domain: 'd1', actions: ['routed'] }],
  })
  expect(await refusal(ofDomain)).toMatchObject({
    code: 'unsupported',
    fields: { 'rbac_policies.0.target_domain': [expect.stringContaining('not with domains')] },
  })
  const { id: own } = await fixture.network(1)
  const ofPrivate = fixture.networks.update(fixture.member, own, { rbac_policies: [] })
  expect(await refusal(ofPrivate)).toMatchObject({
    code: 'validation',
    fields: { rbac_policies: [expect.any(String)] },
  })
})

test('names the objects that use a network, except those in other projects', async () => {
  const { id, subnet } = await fixture.network(1)
  const at = { network_id: id, fixed_ips: [{ subnet_id: subnet, ip_address: '10.0.1.7' }] }
  fixture.index.set('server/s1', { id: 's1', name: 'web' })
  await fixture.make('ports', { ...at, device_id: 's1', device_owner: 'compute:nova' })
  await fixture.make('ports', { ...at, name: 'theirs', project_id: 'p-other' })
  await fixture.make('ports', { ...at, device_id: 'dhcp-1', device_owner: 'network:dhcp' })
  const inUse = neutronRefusal(409, 'NetworkInUse', `Unable to complete operation on network ${id}.`)
  fixture.cloud.on('network', 'DELETE', '/networks/:id', () => inUse)
  fixture.cloud.on('network', 'DELETE', '/subnets/:id', () => neutronRefusal(409, 'SubnetInUse', 'Unable to complete.'))
  const used_by = [{ kind: 'server', id: 's1', name: 'web' }]
  const removed = fixture.networks.delete(fixture.member, id, { vlanInterfaces: true })
  expect(await refusal(removed)).toMatchObject({
    code: 'network_in_use',
    message: 'This network is in use by web, others',
    data: { used_by },
  })
  expect(await refusal(fixture.subnets.delete(fixture.member, subnet))).toMatchObject({
    code: 'subnet_in_use',
    data: { used_by },
  })
  expect(await refusal(fixture.networks.delete(fixture.stranger, id, { vlanInterfaces: true }))).toMatchObject({
    code: 'not_found',
  })
})

test('adds a subnet, adapts its pools to the gateway, and renames a subnet whose range is too small', async () => {
  const { id, subnet } = await fixture.network(1)
  const second = SubnetDraft.parse({ network_id: id, cidr: '10.9.0.0/24' })
  expect(await refusal(fixture.subnets.create(fixture.member, second))).toMatchObject({
    fields: { cidr: [expect.any(String)] },
  })
  const six = await fixture.subnets.create(fixture.member, SubnetDraft.parse({ network_id: id, cidr: 'fd00:9::/64' }))
  expect(six).toMatchObject({ ip_version: 6, ipv6_ra_mode: 'slaac', ipv6_address_mode: 'slaac' })
  expect(fixture.indexed<Network>('network', id)!.subnets).toHaveLength(2)

  const moved = await fixture.subnets.update(fixture.member, subnet, { gateway_ip: '10.0.1.9' })
  expect(moved.allocation_pools).toEqual([
    { start: '10.0.1.1', end: '10.0.1.8' },
    { start: '10.0.1.10', end: '10.0.1.254' },
  ])
  const small = await fixture.make('subnets', { network_id: id, cidr: '10.7.0.0/30', gateway_ip: '10.7.0.1' })
  expect(await fixture.subnets.update(fixture.member, small.id, { name: 'small' })).toMatchObject({ name: 'small' })
  fixture.cloud.on('network', 'PUT', '/subnets/:id', () =>
    neutronRefusal(409, 'GatewayIpInUse', 'Current gateway ip 10.0.1.9 already in use by port p. Unable to update.'),
  )
  expect(await refusal(fixture.subnets.update(fixture.member, subnet, { gateway_ip: null }))).toMatchObject({
    code: 'ip_address_in_use',
    fields: { gateway_ip: [expect.any(String)] },
  })
})

test("reports the cloud's limits, quotas and outages", async () => {
  const answers: [reply: ReturnType<typeof neutronRefusal>, expected: object][] = [
    [
      neutronRefusal(409, 'OverQuota', "Quota exceeded for resources: ['network']."),
      { code: 'quota_exceeded', data: { resource: 'networks' } },
    ],
    [neutronRefusal(403, 'PolicyNotAuthorized', 'rule:create_network is disallowed by policy'), { code: 'forbidden' }],
    [
      neutronRefusal(400, 'InvalidInput', 'Invalid input for operation: Requested MTU is too big, maximum is 1442.'),
      { code: 'validation', fields: { mtu: [expect.stringContaining('1442')] } },
    ],
    [busy(), { code: 'engine_unavailable' }],
  ]
  for (const [reply, expected] of answers) {
    fixture.cloud.on('network', 'POST', '/networks', () => reply)
    const made = fixture.networks.createPrivate(fixture.member, PrivateNetworkDraft.parse({ name: 'one', mtu: 9000 }))
    expect(await refusal(made)).toMatchObject(expected)
  }
})
