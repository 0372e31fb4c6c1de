import { reach, type ReachAnswer, type ReachQuestion } from '@mainstay/contract/networking/reach'
import { session } from '@mainstay/contract/identity/session'
import { until } from '../../conformance/cloud'
import { startFakeCloud, type FakeCloud } from '../testing/fake-cloud/cloud'
import { serveDirectory, someDirectory } from '../testing/fake-cloud/directory'
import { fakeNeutron, type FakeNeutron } from '../testing/fake-cloud/neutron'
import { fakeServices } from '../testing/fake-cloud/services'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Personas } from '../../../../server/src/testing/personas'
import { startServer, type TestServer } from '../../../../server/src/testing/start-server'

const nobody: Personas = { domains: {}, projects: {}, people: {} as Personas['people'] }
const project_id = 'p-one'

let cloud: FakeCloud
let server: TestServer
let as: { token: string }
const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
const [outside, rack, inside, plain] = [id(1), id(2), id(3), id(4)]
/** Instance ports: behind a router with SNAT, behind a router without SNAT, and on a provider network. */
const [web, untranslated, direct] = [id(11), id(12), id(13)]

/** Adds a network with one subnet, whose ID is `NETWORK-subnet`. */
function network(neutron: FakeNeutron, id: string, base: string, more: object = {}) {
  neutron.add('networks', { id, project_id, ...more })
  neutron.add('subnets', {
    ...{ id: `${id}-subnet`, network_id: id, project_id, cidr: `${base}.0/24`, gateway_ip: `${base}.1` },
    allocation_pools: [{ start: `${base}.2`, end: `${base}.254` }],
  })
}

/** Adds a port to a network, by default a port of an instance. */
function port(neutron: FakeNeutron, network_id: string, ip_address: string, more: object = {}): void {
  const digits = ip_address.split('.').map((it) => Number(it).toString(16).padStart(2, '0'))
  neutron.add('ports', {
    ...{
      network_id,
      project_id,
      status: 'ACTIVE',
      security_groups: ['open'],
      mac_address: `fa:16:${digits.join(':')}`,
    },
    ...{ device_owner: 'compute:nova', device_id: `vm-${ip_address}` },
    fixed_ips: [{ ip_address, subnet_id: `${network_id}-subnet` }],
    ...more,
  })
}

function furnish(neutron: FakeNeutron): void {
  neutron.add('security-groups', { id: 'open', name: 'open', project_id })
  for (const rule of [
    { direction: 'egress' },
    { direction: 'ingress', protocol: 'tcp', port_range_min: 80, port_range_max: 80 },
    {
      ...{ direction: 'ingress', protocol: 'tcp', port_range_min: 22, port_range_max: 22 },
      remote_ip_prefix: '192.0.2.128/25',
    },
  ])
    neutron.add('security-group-rules', { security_group_id: 'open', project_id, ethertype: 'IPv4', ...rule })
  const onHardware = (type: string) => ({
    ...{ 'provider:network_type': type, 'provider:physical_network': 'public', project_id: 'p-admin' },
  })
  network(neutron, outside, '203.0.113', { name: 'outside', ...onHardware('flat'), 'router:external': true })
  network(neutron, rack, '198.51.100', { name: 'rack', ...onHardware('vlan'), shared: true })
  neutron.add('rbac-policies', { object_id: outside, action: 'access_as_external', target_tenant: '*' })
  neutron.add('rbac-policies', { object_id: rack, action: 'access_as_shared', target_tenant: '*' })

  /** Adds a network behind its own router. */
  const behind = (
    network_id: string,
    base: string,
    gateway: string,
    more: { enable_snat: boolean; routes?: object[] },
  ) => {
    const { enable_snat, routes = [] } = more
    network(neutron, network_id, base)
    const external_fixed_ips = [{ subnet_id: `${outside}-subnet`, ip_address: gateway }]
    const external_gateway_info = { network_id: outside, enable_snat, external_fixed_ips }
    const router = neutron.add('routers', { project_id, external_gateway_info, routes })
    const leg = { device_id: router.id, security_groups: [] }
    port(neutron, network_id, `${base}.1`, { ...leg, device_owner: 'network:router_interface' })
    port(neutron, outside, gateway, { ...leg, device_owner: 'network:router_gateway', project_id: '' })
    return router.id
  }
  const routes = [{ destination: '172.30.0.0/16', nexthop: '203.0.113.99' }]
  const router_id = behind(inside, '10.5.0', '203.0.113.10', { enable_snat: true, routes })
  behind(plain, '10.6.0', '203.0.113.20', { enable_snat: false })
  port(neutron, inside, '10.5.0.10', { id: web })
  port(neutron, plain, '10.6.0.10', { id: untranslated })
  port(neutron, rack, '198.51.100.10', { id: direct })
  const floating = { floating_network_id: outside, project_id }
  neutron.add('floatingips', {
    ...{ ...floating, floating_ip_address: '203.0.113.30', status: 'ACTIVE' },
    ...{ port_id: web, fixed_ip_address: '10.5.0.10', router_id },
  })
  neutron.add('floatingips', { ...floating, floating_ip_address: '203.0.113.31' })
}

beforeAll(async () => {
  const directory = someDirectory()
  cloud = await startFakeCloud(directory)
  serveDirectory(cloud, directory)
  fakeServices(cloud)
  furnish(fakeNeutron(cloud))
  server = await startServer({
    cast: nobody,
    pace: 10,
    environment: {
      ...{ MAINSTAY_ENGINE: 'openstack', MAINSTAY_WORLD: '', MAINSTAY_HYPERVISOR: '', OS_AUTH_URL: cloud.authUrl },
      ...{ OS_USER_ID: 'u-service', OS_PASSWORD: 'service-secret', OS_PROJECT_ID: 'p-admin' },
    },
  })
  const mary = { username: 'mary', password: 'pass-mary', domain: 'alpha' }
  const { token } = await server.call(session.login, { body: mary })
  as = await server.call(session.enterProject, { as: { token: token! }, params: { id: project_id } })
  const known = async (kind: string, rows: number) =>
    until(
      `${rows} of kind ${kind}`,
      async () => (await server.tools.inventory.transaction((tx) => tx.find(kind, {}))).length === rows,
    )
  for (const [kind, rows] of [
    ['network', 4],
    ['subnet', 4],
    ['port', 7],
    ['router', 2],
  ] as const)
    await known(kind, rows)
  for (const [kind, rows] of [
    ['floating_ip', 2],
    ['security_group', 1],
    ['security_group_rule', 3],
  ] as const)
    await known(kind, rows)
})
afterAll(async () => {
  await server.close()
  await cloud.close()
})

const ask = (source: string, destination: string, asked: Partial<ReachQuestion> = {}): Promise<ReachAnswer> =>
  server.call(reach.ask, {
    as,
    body: {
      source: /^[\d.]+$/.test(source) ? { address: source } : { port_id: source },
      destination: /^[\d.]+$/.test(destination) ? { address: destination } : { port_id: destination },
      ...{ protocol: 'tcp', port: 80 },
      ...asked,
    },
  })
const told = ({ verdict, steps }: ReachAnswer) => [verdict, steps.at(-1)?.code, steps.at(-1)?.state].join(' ')

test("reports unknown instead of refused where traffic leaves the cloud's networks", async () => {
  // unknown routes to an address behind a router, and to hosts in provider networks
  expect(told(await ask('192.0.2.1', '10.5.0.10'))).toBe('unknown beyond unknown')
  expect(told(await ask(web, '203.0.113.77'))).toBe('unknown beyond unknown')
  expect(told(await ask(direct, '198.51.100.77'))).toBe('unknown beyond unknown')
  // unknown physical routers: the default gateway, the next hop of a route, and the return path
  expect(told(await ask(direct, '192.0.2.1'))).toBe('unknown beyond unknown')
  expect(told(await ask(web, '172.30.0.1'))).toBe('unknown beyond unknown')
  expect(told(await ask(untranslated, '192.0.2.1'))).toBe('unknown beyond unknown')
  expect(told(await ask(web, '203.0.113.1'))).toBe('unknown beyond unknown')
  const { steps } = await ask(web, '203.0.113.77')
  expect(steps.at(-1)).toMatchObject({ address: '203.0.113.77', object: { kind: 'network', name: 'outside' } })
})

test('reports a virtual machine as reachable through its floating IP, and as unknown without one', async () => {
  expect((await ask('192.0.2.1', web)).verdict).toBe('allowed')
  expect(told(await ask('192.0.2.1', web, { port: 22 }))).toBe('refused no_rule refused')
  // rules are evaluated against the original source address
  expect((await ask('192.0.2.200', web, { port: 22 })).verdict).toBe('allowed')
  for (const inner of [untranslated, direct]) expect(told(await ask('192.0.2.1', inner))).toBe('unknown beyond unknown')
})

test('reports what the cloud itself allows or refuses', async () => {
  expect(told(await ask(web, '192.0.2.1'))).toBe('allowed uplink passes')
  expect((await ask('192.0.2.1', '203.0.113.30')).verdict).toBe('allowed')
  expect(told(await ask('192.0.2.1', '203.0.113.30', { port: 22 }))).toBe('refused no_rule refused')
  // an unassigned floating IP, and an unused address in one of the cloud's networks
  expect(told(await ask('192.0.2.1', '203.0.113.31'))).toBe('refused nobody refused')
  expect(told(await ask(web, '10.5.0.77'))).toBe('refused nobody refused')
})
