import { Port, PortDraft } from '@mainstay/contract/networking/ports'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { refusal } from '../../../conformance/cloud'
import { neutronRefusal, novaRefusal } from '../../testing/fake-cloud/refusals'
import { startNetworkingFixture, type NetworkingFixture } from '../../testing/networking-fixture'
import { floatingIpReader } from '../floating-ips/reader'
import { routerReader } from '../routers/reader'
import { securityGroupReader, securityGroupRuleReader } from '../security-groups/reader'
import { portReader } from './reader'

let fixture: NetworkingFixture
beforeEach(async () => {
  fixture = await startNetworkingFixture()
})
afterEach(() => fixture.close())

async function all(): Promise<Port[]> {
  const rows: Port[] = []
  for await (const page of portReader.all(fixture.engine.reading)) rows.push(...page)
  return rows
}
const nova = (names: Record<string, string>) =>
  fixture.cloud.list(
    'compute',
    '/servers',
    'servers',
    Object.entries(names).map(([id, name]) => ({ id, name })),
  )
/** Adds ports for instances, a router, a floating IP and a trunk, and an unused port. */
function somePorts(): void {
  const { add } = fixture.neutron
  add('networks', { id: 'n', name: 'backend' })
  add('routers', { id: 'r', name: 'edge' })
  add('trunks', { id: 't', name: 'uplink' })
  for (let at = 0; at < 20; at++)
    add('ports', { id: `p${at}`, network_id: 'n', device_id: `s${at % 2}`, device_owner: 'compute:nova' })
  add('ports', { id: 'leg', network_id: 'n', device_id: 'r', device_owner: 'network:router_interface' })
  add('ports', { id: 'nat', network_id: 'n', device_id: 'f', device_owner: 'network:floatingip', project_id: '' })
  add('ports', { id: 'sub', network_id: 'n', device_id: 't', device_owner: 'trunk:subport' })
  add('ports', {
    id: 'spare',
    network_id: 'n',
    'binding:vnic_type': 'direct-physical',
    mac_address: 'FA:16:3E:00:00:0A',
  })
  add('floatingips', { id: 'f1', port_id: 'p0', floating_ip_address: '203.0.113.9', floating_network_id: 'o' })
}

test('reads the names of port owners with a constant number of list requests', async () => {
  somePorts()
  nova({ s0: 'web', s1: 'db' })
  fixture.neutron.calls()
  const rows = await all()
  expect(fixture.neutron.calls().toSorted()).toEqual([
    'GET /floatingips',
    'GET /networks',
    'GET /ports',
    'GET /routers',
    'GET /servers',
    'GET /trunks',
  ])
  for (const row of rows) expect(Port.parse(row)).toEqual(row)
  const named = new Map(rows.map((row) => [row.id, row]))
  expect([...named.values()].map(({ id, device_name }) => `${id} ${device_name}`)).toEqual(
    expect.arrayContaining(['p0 web', 'p1 db', 'leg edge', 'sub uplink', 'nat ', 'spare ']),
  )
  expect(named.get('p0')).toMatchObject({ network_name: 'backend', floating_ips: ['f1'], domain_id: 'default' })
  // ports used by the cloud itself have no project
  expect(named.get('nat')).toMatchObject({ project_id: '', domain_id: '' })
  expect(named.get('spare')).toMatchObject({ 'binding:vnic_type': 'direct', mac_address: 'fa:16:3e:00:00:0a' })
})

test('reads individual ports with names from the index, or from the cloud if the index lacks them', async () => {
  somePorts()
  fixture.index.set('server/s0', { id: 's0', name: 'web' })
  fixture.cloud.on('compute', 'GET', '/servers/:id', ({ params }) => ({
    body: { server: { id: params['id'], name: 'db' } },
  }))
  fixture.neutron.calls()
  const found = await portReader.some(fixture.engine.reading, ['p0', 'p1', 'p2', 'gone'])
  expect(fixture.neutron.calls().toSorted()).toEqual([
    'GET /floatingips',
    'GET /networks',
    'GET /ports',
    'GET /servers/s1',
  ])
  expect([...found].map(([id, row]) => [id, row && row.device_name])).toEqual([
    ['p0', 'web'],
    ['p1', 'db'],
    ['p2', 'web'],
    ['gone', null],
  ])
})

test('reads ports even if the names of instances cannot be read', { tags: 'all' }, async () => {
  somePorts()
  fixture.index.set('server/s0', { id: 's0', name: 'web' })
  const away = () => novaRefusal('serviceUnavailable', 503, 'The service is busy')
  fixture.cloud.on('compute', 'GET', '/servers', away)
  fixture.cloud.on('compute', 'GET', '/servers/:id', away)
  const rows = await all()
  expect(rows.find(({ id }) => id === 'p0')).toMatchObject({ device_name: 'web' })
  expect(rows.find(({ id }) => id === 'p1')).toMatchObject({ device_name: '' })
  const some = await portReader.some(fixture.engine.reading, ['p1'])
  expect(some.get('p1')).toMatchObject({ device_name: '' })
})

test('reads ports in a cloud without routers, floating IPs, trunks and security groups', async () => {
  somePorts()
  nova({ s0: 'web', s1: 'db' })
  const none = () => ({ status: 404, body: { NeutronError: { type: 'HTTPNotFound', message: 'Not here.' } } })
  for (const list of ['routers', 'floatingips', 'trunks', 'security-groups', 'security-group-rules'])
    fixture.cloud.on('network', 'GET', `/${list}`, none)
  expect((await all()).find(({ id }) => id === 'p0')).toMatchObject({ device_name: 'web', floating_ips: [] })
  for (const reader of [routerReader, floatingIpReader, securityGroupReader, securityGroupRuleReader]) {
    const rows: object[] = []
    for await (const page of reader.all(fixture.engine.reading)) rows.push(...page)
    expect(rows).toEqual([])
  }
})

test('rereads a port while it may still come up', () => {
  const port = (status: string, ago: number) =>
    ({ status, device_id: 's', updated_at: new Date(Date.now() - ago).toISOString() }) as Port
  expect(portReader.isBusy(port('DOWN', 1_000))).toBe(true)
  expect(portReader.isBusy(port('DOWN', 3_600_000))).toBe(false)
  expect(portReader.isBusy(port('ACTIVE', 1_000))).toBe(false)
  expect(portReader.isBusy({ ...port('DOWN', 1_000), device_id: '' })).toBe(false)
})

test('creates a port with its tags, or not at all', async () => {
  const { id } = await fixture.network(1)
  const draft = PortDraft.parse({ network_id: id, name: 'spare', description: 'kept', tags: ['blue'] })
  const made = await fixture.ports.create(fixture.member, draft)
  expect(made).toMatchObject({ name: 'spare', description: 'kept', tags: ['blue'], network_name: 'net-1' })
  expect(fixture.intents.open.size).toBe(0)

  let isAway = true
  const busy = () => neutronRefusal(503, 'ServiceUnavailable', 'The service is busy')
  fixture.cloud.on('network', 'PUT', '/ports/:id/tags', busy)
  const { ports } = fixture.neutron.rows
  fixture.cloud.on('network', 'DELETE', '/ports/:id', ({ params }) =>
    isAway ? busy() : { status: ports.delete(params['id']!) ? 204 : 404 },
  )
  expect(await refusal(fixture.ports.create(fixture.member, draft))).toMatchObject({ code: 'engine_unavailable' })
  expect(ports.size).toBe(2)
  isAway = false
  await fixture.runIntent().catch(() => undefined)
  expect([...ports.keys()]).toEqual([made.id])
})

test('refuses fields reserved for operators and fields that cannot be changed', async () => {
  const { id } = await fixture.network(1)
  const port = await fixture.ports.create(fixture.member, PortDraft.parse({ network_id: id }))
  const create = (more: object) =>
    refusal(fixture.ports.create(fixture.member, PortDraft.parse({ network_id: id, ...more })))
  const change = (more: object) => refusal(fixture.ports.update(fixture.member, port.id, more))
  const at = (field: string) => ({ fields: { [field]: [expect.any(String)] } })
  expect(await create({ device_id: 's1' })).toMatchObject({ code: 'validation', ...at('device_id') })
  expect(await create({ project_id: 'p-other' })).toMatchObject({ code: 'validation', ...at('project_id') })
  expect(await change({ 'binding:host_id': 'node' })).toMatchObject({ code: 'validation', ...at('binding:host_id') })
  expect(await change({ mac_address: 'fa:16:3e:11:11:11' })).toMatchObject({
    code: 'validation',
    ...at('mac_address'),
  })
  expect(await create({ spoofing_protection: false, security_groups: ['g'] })).toMatchObject(at('security_groups'))
  // clients send unchanged values again
  const { network_id, mac_address, project_id, device_id, device_owner } = port
  const again = { network_id, mac_address, project_id, device_id, device_owner, name: 'renamed' }
  expect(await fixture.ports.update(fixture.member, port.id, again)).toMatchObject({ name: 'renamed' })
  expect(await fixture.ports.update(fixture.operator, port.id, { device_id: 's1' })).toMatchObject({ device_id: 's1' })
  // without protection, security groups are removed
  await fixture.ports.update(fixture.member, port.id, { spoofing_protection: false })
  expect(fixture.neutron.rows.ports.get(port.id)).toMatchObject({ port_security_enabled: false, security_groups: [] })
})

test('assigns errors from the cloud to the fields at fault', async () => {
  const { id } = await fixture.network(1)
  const draft = { network_id: id, fixed_ips: [{ ip_address: '10.0.1.5' }] }
  const cases: [more: object, reply: ReturnType<typeof neutronRefusal>, code: string, field: string][] = [
    [
      {},
      neutronRefusal(409, 'IpAddressAlreadyAllocated', 'IP address 10.0.1.5 already allocated'),
      'ip_address_in_use',
      'fixed_ips',
    ],
    [{}, neutronRefusal(400, 'InvalidIpForNetwork', 'IP address is not a valid IP'), 'validation', 'fixed_ips'],
    [{}, neutronRefusal(403, 'PolicyNotAuthorized', 'rule:create_port is disallowed'), 'forbidden', 'fixed_ips'],
    [
      { mac_address: 'fa:16:3e:00:00:01' },
      neutronRefusal(409, 'MacAddressInUse', 'The mac address fa:16:3e:00:00:01 is in use.'),
      'conflict',
      'mac_address',
    ],
    [
      { fixed_ips: undefined },
      neutronRefusal(409, 'IpAddressGenerationFailure', 'No more IP addresses available on network n.'),
      'no_free_addresses',
      'network_id',
    ],
    [
      { security_groups: ['none'] },
      neutronRefusal(404, 'SecurityGroupNotFound', 'Security group none does not exist'),
      'validation',
      'security_groups.0',
    ],
  ]
  for (const [more, reply, code, field] of cases) {
    fixture.cloud.on('network', 'POST', '/ports', () => reply)
    const made = fixture.ports.create(fixture.member, PortDraft.parse({ ...draft, ...more }))
    expect(await refusal(made), field).toMatchObject({ code, fields: { [field]: [expect.any(String)] } })
  }
})

test('refuses to delete a port in use, and names its owner', async () => {
  fixture.index.set('server/s1', { id: 's1', name: 'web' })
  const of = (device_owner: string, device_id: string) =>
    fixture.make('ports', { network_id: 'n', device_id, device_owner, name: 'p' })
  fixture.neutron.add('routers', { id: 'r1', name: 'edge' })
  const cases: [port: { id: string }, user: object][] = [
    [await of('compute:nova', 's1'), { kind: 'server', id: 's1', name: 'web' }],
    [await of('network:router_interface', 'r1'), { kind: 'router', id: 'r1', name: 'edge' }],
    [await of('network:dhcp', 'dhcp-1'), { kind: 'port' }],
  ]
  const free = await fixture.make('ports', { network_id: 'n' })
  const floating = await fixture.make('floatingips', {
    ...{ port_id: free.id, floating_ip_address: '203.0.113.9', floating_network_id: 'o' },
  })
  await fixture.engine.refresh(portReader, free.id)
  cases.push([free, { kind: 'floating_ip', id: floating.id, name: '203.0.113.9' }])
  for (const [port, user] of cases)
    expect(await refusal(fixture.ports.delete(fixture.member, port.id))).toMatchObject({
      code: 'port_in_use',
      data: { used_by: [user] },
    })
  expect(fixture.cloud.received.filter(({ verb }) => verb === 'DELETE')).toEqual([])
  await fixture.floatingIps.delete(fixture.member, floating.id)
  await fixture.ports.delete(fixture.member, free.id)
  expect(fixture.indexed('port', free.id)).toBeUndefined()
})
