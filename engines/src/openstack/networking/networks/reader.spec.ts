import { readersOf } from '@mainstay/contract/core/readers'
import { Network, networkKind } from '@mainstay/contract/networking/networks'
import { Subnet, subnetKind } from '@mainstay/contract/networking/subnets'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startEngineFixture, type EngineFixture } from '../../testing/engine-fixture'
import { networkReader } from './reader'
import { subnetReader } from '../subnets/reader'

let fixture: EngineFixture
beforeEach(async () => {
  fixture = await startEngineFixture()
})
afterEach(() => fixture.close())

const network = (id: string, more: object = {}) => ({
  id,
  name: `net ${id}`,
  status: 'ACTIVE',
  // Neutron's value for the service account, which must be ignored
  shared: true,
  'router:external': false,
  'provider:network_type': 'geneve',
  'provider:physical_network': null,
  'provider:segmentation_id': 4711,
  mtu: 1442,
  port_security_enabled: true,
  project_id: 'p-demo',
  created_at: '2026-11-21T21:00:00Z',
  ...more,
})
const subnet = (id: string, more: object = {}) => ({
  id,
  name: '',
  network_id: 'a',
  cidr: '10.0.0.0/24',
  ip_version: 4,
  allocation_pools: [{ start: '10.0.0.2', end: '10.0.0.254' }],
  dns_nameservers: ['10.0.0.1'],
  gateway_ip: null,
  enable_dhcp: true,
  ipv6_ra_mode: null,
  ipv6_address_mode: null,
  project_id: 'p-demo',
  created_at: '2026-11-21T21:00:00Z',
  ...more,
})

interface Policy {
  id: string
  object_id: string
  action: string
  target_tenant: string
}
const policy = (object_id: string, target_tenant: string, action = 'access_as_shared'): Policy => ({
  id: `${object_id}-${target_tenant}-${action}`,
  object_id,
  action,
  target_tenant,
})

function fakeNetworks(networks: { id: string }[], policies: Policy[] | null, subnets: { id: string }[] = []) {
  const { cloud } = fixture
  cloud.list('network', '/networks', 'networks', networks, 2)
  cloud.list('network', '/subnets', 'subnets', subnets, 2)
  const one = (path: string, key: string, rows: { id: string }[]) =>
    cloud.on('network', 'GET', `${path}/:id`, ({ params }) => {
      const row = rows.find(({ id }) => id === params['id'])
      const type = 'NotFound'
      return row ? { body: { [key]: row } } : { status: 404, body: { NeutronError: { type, message: 'None.' } } }
    })
  one('/networks', 'network', networks)
  one('/subnets', 'subnet', subnets)
  if (policies)
    cloud.on('network', 'GET', '/rbac-policies', ({ query }) => {
      const wanted = query.getAll('object_id')
      const found = policies.filter(({ object_id }) => wanted.length === 0 || wanted.includes(object_id))
      return { body: { rbac_policies: found } }
    })
}

async function all<Row>(pages: AsyncIterable<Row[]>): Promise<Row[]> {
  const rows: Row[] = []
  for await (const page of pages) rows.push(...page)
  return rows
}

test('reads networks with their types and the projects they are shared with', async () => {
  fakeNetworks(
    [
      network('a'),
      network('b', { 'provider:network_type': 'vlan', 'provider:physical_network': 'rack', mtu: null }),
      network('c', { 'router:external': true, 'provider:network_type': 'flat', port_security_enabled: false }),
      network('d', { name: '', status: null }),
    ],
    [
      policy('b', '*'),
      policy('c', '*', 'access_as_external'),
      policy('d', 'p-other'),
      policy('d', 'p-other', 'access_as_external'),
      policy('d', 'p-another'),
    ],
    [subnet('sub-2'), subnet('sub-1'), subnet('sub-3', { network_id: 'b' })],
  )
  const rows = await all(networkReader.all(fixture.engine.reading))
  expect(rows.map((row) => Network.parse(row))).toEqual(rows)
  expect(rows).toMatchObject([
    {
      id: 'a',
      type: 'vxlan',
      vlan_id: null,
      mtu: 1442,
      shared: false,
      subnets: [
        { id: 'sub-1', cidr: '10.0.0.0/24', shared: false },
        { id: 'sub-2', network_id: 'a' },
      ],
      ipam_enabled: true,
      spoofing_protection: true,
      project_id: 'p-demo',
      created_at: '2026-11-21T21:00:00.000Z',
    },
    {
      id: 'b',
      type: 'vlan',
      vlan_id: 4711,
      physical_network: 'rack',
      mtu: 1500,
      shared: true,
      subnets: [{ id: 'sub-3', shared: true }],
    },
    { id: 'c', type: 'flat', router_external: true, shared: false, spoofing_protection: false },
    {
      id: 'd',
      name: 'd',
      status: 'DOWN',
      ipam_enabled: false,
      shared: false,
      rbac_policies: [
        { target_project: 'p-another', actions: ['direct'] },
        { target_project: 'p-other', actions: ['direct', 'routed'] },
      ],
    },
  ])
})

test('shows the status from the cloud, and maps unknown ones to DOWN [ST-077]', async () => {
  const statuses = ['ACTIVE', 'DOWN', 'BUILD', 'ERROR', 'PENDING_CREATE', 'PENDING_UPDATE', 'PENDING_DELETE']
  fakeNetworks(
    [...statuses, 'ASLEEP'].map((status) => network(status, { status })),
    [],
  )
  const rows = await all(networkReader.all(fixture.engine.reading))
  expect(rows.map(({ status }) => status)).toEqual([...statuses, 'DOWN'])
})

test('omits policies of deleted projects from networks and subnets', async () => {
  fakeNetworks(
    [network('a')],
    [policy('a', 'p-there'), policy('a', 'p-gone'), policy('a', '*', 'access_as_external'), policy('a', 'p-unknown')],
    [subnet('sub-1')],
  )
  const asked: string[] = []
  const projects = new Set(['p-there', 'p-gone'])
  const reading = {
    ...fixture.engine.reading,
    async isProject(id: string) {
      asked.push(id)
      if (id === 'p-unknown') throw new Error('Keystone does not answer')
      return projects.has(id)
    },
  }
  const told = async () => {
    const rows = await all(networkReader.all(reading))
    const subnets = await all(subnetReader.all(reading))
    expect(readersOf(subnetKind, subnets[0])).toEqual(readersOf(networkKind, rows[0]))
    return readersOf(networkKind, rows[0])
  }
  // a policy is kept while its project cannot be checked
  expect(await told()).toEqual(['*', 'project:p-gone', 'project:p-there', 'project:p-unknown'])
  projects.delete('p-gone')
  expect(await told()).toEqual(['*', 'project:p-there', 'project:p-unknown'])
  const rows = await all(networkReader.all(reading))
  expect(JSON.stringify(rows)).not.toContain('p-gone')
  expect(asked).not.toContain('*')
})

test("uses the network's own sharing flag in a cloud without policies", async () => {
  fakeNetworks([network('a'), network('b', { shared: false })], null)
  const rows = await all(networkReader.all(fixture.engine.reading))
  expect(rows.map(({ shared, rbac_policies }) => [shared, rbac_policies])).toEqual([
    [true, []],
    [false, []],
  ])
})

test('reads individual networks the same way as in a full read, and reports deleted ones', async () => {
  fakeNetworks([network('a'), network('b')], [policy('a', '*'), policy('b', 'p-other')])
  const rows = await all(networkReader.all(fixture.engine.reading))
  const some = await networkReader.some(fixture.engine.reading, ['a', 'b', 'gone'])
  expect([...some]).toEqual([
    ['a', rows[0]],
    ['b', rows[1]],
    ['gone', null],
  ])
})

test('shares subnets together with their network', async () => {
  const v6 = { ip_version: 6, cidr: 'fd00::/64', ipv6_ra_mode: 'slaac', ipv6_address_mode: 'slaac', network_id: 'b' }
  fakeNetworks(
    [],
    [policy('b', '*')],
    [subnet('one'), subnet('two', v6), subnet('three', { name: 'named', gateway_ip: '10.0.0.1' })],
  )
  const rows = await all(subnetReader.all(fixture.engine.reading))
  expect(rows.map((row) => Subnet.parse(row))).toEqual(rows)
  expect(rows).toMatchObject([
    { id: 'one', name: '10.0.0.0/24', shared: false, gateway_ip: null, enable_dhcp: true },
    { id: 'two', ip_version: 6, shared: true, ipv6_ra_mode: 'slaac' },
    { id: 'three', name: 'named', gateway_ip: '10.0.0.1' },
  ])
  const some = await subnetReader.some(fixture.engine.reading, ['two', 'gone'])
  expect([...some]).toEqual([
    ['two', rows[1]],
    ['gone', null],
  ])
})
