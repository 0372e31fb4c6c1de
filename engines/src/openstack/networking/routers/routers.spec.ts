import type { Port } from '@mainstay/contract/networking/ports'
import { Router, RouterDraft } from '@mainstay/contract/networking/routers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { refusal } from '../../../conformance/cloud'
import { neutronRefusal } from '../../testing/fake-cloud/refusals'
import { startNetworkingFixture, type NetworkingFixture } from '../../testing/networking-fixture'
import { routerReader } from './reader'

let fixture: NetworkingFixture
beforeEach(async () => {
  fixture = await startNetworkingFixture()
})
afterEach(() => fixture.close())

const addresses = ({ interfaces_info }: Pick<Router, 'interfaces_info'>) =>
  interfaces_info.flatMap(({ fixed_ips }) => fixed_ips.map(({ ip_address }) => ip_address)).toSorted()
const rows = () => fixture.neutron.rows
const busy = () => neutronRefusal(503, 'ServiceUnavailable', 'The service is busy')
const addPath = '/routers/:id/add_router_interface'
const removePath = '/routers/:id/remove_router_interface'

/** Creates a router that is connected to the networks with these numbers. */
async function routerWith(...places: number[]) {
  const networks = []
  for (const place of places) networks.push(await fixture.network(place))
  const draft = RouterDraft.parse({ name: 'edge', internal_interfaces: networks.map(({ id }) => ({ network_id: id })) })
  return { router: await fixture.routers.create(fixture.member, draft), networks }
}

test('creates a router with gateway and networks, and omits defaults from the request', async () => {
  const outside = await fixture.outside()
  const [one, two] = [await fixture.network(1), await fixture.network(2)]
  const router = await fixture.routers.create(
    fixture.member,
    RouterDraft.parse({
      name: 'edge',
      external_gateway_info: { network_id: outside },
      internal_interfaces: [{ network_id: one.id }, { network_id: two.id, ip_address: '10.0.2.77' }],
    }),
  )
  expect(Router.parse(router)).toEqual(router)
  expect(router).toMatchObject({
    external_gateway_info: { network_id: outside, network_name: 'outside', enable_snat: true },
    interfaces_info: [{ network_name: 'net-1' }, { network_name: 'net-2', is_external: false }],
  })
  expect(addresses(router)).toEqual(['10.0.1.1', '10.0.2.77'])
  const made = fixture.cloud.received.find(({ verb, path }) => verb === 'POST' && path === '/routers')!
  expect(made.body).toMatchObject({ router: { external_gateway_info: { network_id: outside } } })
  expect(JSON.stringify(made.body)).not.toContain('enable_snat')
  const port = fixture.indexed<Port>('port', router.interfaces_info[0]!.port_id)
  expect(port).toMatchObject({ device_id: router.id, device_name: 'edge' })
})

test('uses the gateway address of the subnet if it is free, and any other address otherwise', async () => {
  const { id, subnet } = await fixture.network(1)
  fixture.cloud.on('network', 'PUT', addPath, ({ params, body }) => {
    const { port_id } = body as { port_id?: string }
    if (port_id === undefined)
      return neutronRefusal(409, 'IpAddressAlreadyAllocated', 'IP address 10.0.1.1 already allocated in subnet')
    Object.assign(rows().ports.get(port_id)!, { device_id: params['id'], device_owner: 'network:router_interface' })
    return { body: { port_id } }
  })
  const draft = RouterDraft.parse({ name: 'edge', internal_interfaces: [{ network_id: id }] })
  const router = await fixture.routers.create(fixture.member, draft)
  expect(router.interfaces_info).toHaveLength(1)
  const port = fixture.cloud.received.find(({ verb, path }) => verb === 'POST' && path === '/ports')!
  expect(port.body).toMatchObject({ port: { fixed_ips: [{ subnet_id: subnet }] } })
  // a chosen address is not replaced
  const other = await fixture.network(2)
  const chosen = RouterDraft.parse({
    name: 'other',
    internal_interfaces: [{ network_id: other.id, ip_address: '10.0.2.1' }],
  })
  expect(await refusal(fixture.routers.create(fixture.member, chosen))).toMatchObject({
    code: 'ip_address_in_use',
    fields: { 'internal_interfaces.0.ip_address': [expect.any(String)] },
  })
  expect(rows().routers.size).toBe(1)
})

test('refuses overlapping networks and networks without routing before creating anything', async () => {
  const { router, networks } = await routerWith(1)
  const theirs = await fixture.network(3, { project_id: 'p-other' })
  const outside = await fixture.outside()
  const empty = await fixture.make('networks', { name: 'empty' })
  const overlapping = await fixture.network(1)
  const add = (network_id: string, more: object = {}) =>
    refusal(fixture.routers.addInterface(fixture.member, router.id, { network_id, ...more }))
  const field = { network_id: [expect.any(String)] }
  expect(await add(overlapping.id)).toMatchObject({
    code: 'overlapping_subnet',
    message: '10.0.1.0/24 overlaps 10.0.1.0/24 in net-1, which is already connected to this router',
    fields: field,
  })
  expect(await add(theirs.id)).toMatchObject({ code: 'validation', fields: field })
  expect(await add(outside)).toMatchObject({ code: 'not_routable', fields: field })
  expect(await add(empty.id)).toMatchObject({ code: 'not_routable', fields: field })
  expect(await add(networks[0]!.id)).toMatchObject({ code: 'conflict', fields: field })
  const far = await fixture.network(9)
  expect(await add(far.id, { ip_address: '10.0.1.5' })).toMatchObject({ fields: { ip_address: [expect.any(String)] } })
  const gateway = { external_gateway_info: { network_id: far.id, enable_snat: true } }
  expect(await refusal(fixture.routers.update(fixture.member, router.id, gateway))).toMatchObject({
    code: 'not_routable',
    fields: { 'external_gateway_info.network_id': [expect.any(String)] },
  })
  expect(rows().ports.size).toBe(1)
})

test('leaves no router behind when one of its networks is refused, even if the cloud then goes down', async () => {
  const [one, two] = [await fixture.network(1), await fixture.network(2)]
  const draft = RouterDraft.parse({
    name: 'edge',
    internal_interfaces: [{ network_id: one.id }, { network_id: two.id, ip_address: '10.0.2.7' }],
  })
  fixture.cloud.on('network', 'POST', '/ports', () =>
    neutronRefusal(409, 'IpAddressAlreadyAllocated', 'IP address 10.0.2.7 already allocated in subnet'),
  )
  expect(await refusal(fixture.routers.create(fixture.member, draft))).toMatchObject({
    code: 'ip_address_in_use',
    fields: { 'internal_interfaces.1.ip_address': [expect.any(String)] },
  })
  expect([rows().routers.size, rows().ports.size, fixture.intents.open.size]).toEqual([0, 0, 0])

  let isAway = true
  fixture.cloud.on('network', 'POST', '/ports', busy)
  fixture.cloud.on('network', 'PUT', removePath, ({ body }) => {
    if (isAway) return busy()
    rows().ports.delete((body as { port_id: string }).port_id)
    return { body: {} }
  })
  expect(await refusal(fixture.routers.create(fixture.member, draft))).toMatchObject({ code: 'engine_unavailable' })
  expect([rows().routers.size, rows().ports.size]).toEqual([1, 1])
  isAway = false
  await fixture.runIntent()
  expect([rows().routers.size, rows().ports.size]).toEqual([0, 0])
})

test('deletes a router with its interfaces in a task, or keeps all of them', async () => {
  const { router } = await routerWith(1, 2)
  const named = await refusal(fixture.routers.delete(fixture.member, router.id, { withInterfaces: false }))
  expect(named).toMatchObject({
    code: 'router_in_use',
    message: 'This router is connected to these networks: net-1, net-2. Disconnect them first.',
  })

  const routes = [{ destination: '10.250.0.0/16', nexthop: '10.0.1.9' }]
  await fixture.routers.update(fixture.member, router.id, { routes })
  await fixture.make('floatingips', {
    ...{ floating_ip_address: '203.0.113.9', floating_network_id: 'outside' },
    ...{ router_id: router.id, fixed_ip_address: '10.0.2.5' },
  })
  let isNeeded = true
  fixture.cloud.on('network', 'PUT', removePath, ({ body }) => {
    const { port_id } = body as { port_id: string }
    const port = rows().ports.get(port_id)
    if (isNeeded && JSON.stringify(port).includes('10.0.2.1'))
      return neutronRefusal(409, 'RouterInterfaceInUseByFloatingIP', 'Router interface cannot be deleted')
    rows().ports.delete(port_id)
    return { body: {} }
  })
  expect(await refusal(fixture.routers.delete(fixture.member, router.id, { withInterfaces: true }))).toMatchObject({
    code: 'router_in_use',
    message: expect.stringContaining('203.0.113.9'),
    data: { used_by: expect.arrayContaining([expect.objectContaining({ kind: 'floating_ip', name: '203.0.113.9' })]) },
  })
  const still = await fixture.engine.refresh(routerReader, router.id)
  expect([addresses(still), still.routes]).toEqual([['10.0.1.1', '10.0.2.1'], routes])
  expect(fixture.begun).toEqual([])

  isNeeded = false
  expect(await fixture.routers.delete(fixture.member, router.id, { withInterfaces: true })).toMatchObject({
    id: router.id,
    status: 'PENDING_DELETE',
  })
  expect([rows().routers.size, rows().ports.size]).toEqual([0, 0])
  expect(fixture.begun.map(({ name }) => name)).toEqual(['compute.router.delete'])
  expect(await fixture.runTask()).toBeNull()
  expect(fixture.indexed('port', still.interfaces_info[0]!.port_id)).toBeUndefined()
})

test('shows the status from the cloud, and maps unknown ones to DOWN [ST-076]', async () => {
  const { router } = await routerWith()
  const statuses = ['ACTIVE', 'DOWN', 'BUILD', 'ERROR', 'PENDING_CREATE', 'PENDING_UPDATE', 'PENDING_DELETE']
  const shown = []
  for (const status of [...statuses, 'ASLEEP']) {
    Object.assign(rows().routers.get(router.id)!, { status })
    shown.push((await fixture.engine.refresh(routerReader, router.id)).status)
  }
  expect(shown).toEqual([...statuses, 'DOWN'])
})

test('reconnects a network after a server died while disconnecting it', async () => {
  const { router, networks } = await routerWith(1)
  let isAway = false
  fixture.cloud.on('network', 'PUT', removePath, ({ body }) => {
    rows().ports.delete((body as { port_id: string }).port_id)
    isAway = true
    return { body: {} }
  })
  fixture.cloud.on('network', 'DELETE', '/routers/:id', () => busy())
  fixture.cloud.on('network', 'GET', '/routers/:id', ({ params }) =>
    isAway ? busy() : { body: { router: rows().routers.get(params['id']!) } },
  )
  const deleted = fixture.routers.delete(fixture.member, router.id, { withInterfaces: true })
  expect(await refusal(deleted)).toMatchObject({ code: 'engine_unavailable' })
  expect([rows().ports.size, fixture.intents.open.size]).toEqual([0, 1])
  isAway = false
  await fixture.runIntent().catch(() => undefined)
  expect([...rows().ports.values()]).toMatchObject([{ network_id: networks[0]!.id, device_id: router.id }])
})

test("checks routes against the router's networks", async () => {
  const { router } = await routerWith(1)
  const set = (destination: string, nexthop: string) =>
    fixture.routers.update(fixture.member, router.id, { routes: [{ destination, nexthop }] })
  expect(await refusal(set('10.250.0.0/16', '10.0.9.9'))).toMatchObject({
    code: 'nexthop_unreachable',
    fields: { 'routes.0.nexthop': [expect.any(String)] },
  })
  expect(await refusal(set('10.250.0.0/16', '10.0.1.1'))).toMatchObject({
    fields: { 'routes.0.nexthop': [expect.any(String)] },
  })
  expect(await set('10.250.0.0/16', '10.0.1.9')).toMatchObject({ routes: [{ nexthop: '10.0.1.9' }] })
})

test('reports a refused gateway on the field at fault', async () => {
  const outside = await fixture.outside()
  const router = await fixture.make('routers', { name: 'edge' })
  await fixture.make('floatingips', {
    ...{ floating_ip_address: '203.0.113.9', floating_network_id: outside, router_id: router.id },
  })
  const at = (name: string) => ({ [`external_gateway_info.${name}`]: [expect.any(String)] })
  const cases: [reply: ReturnType<typeof busy>, gateway: object | null, expected: object][] = [
    [
      neutronRefusal(403, 'PolicyNotAuthorized', 'rule:update_router is disallowed by policy'),
      { enable_snat: false },
      { code: 'forbidden', fields: at('enable_snat') },
    ],
    [
      neutronRefusal(409, 'IpAddressGenerationFailure', 'No more IP addresses available on network n.'),
      {},
      { code: 'no_free_addresses', fields: at('network_id') },
    ],
    [
      neutronRefusal(409, 'RouterExternalGatewayInUseByFloatingIp', 'Gateway cannot be updated'),
      null,
      { code: 'router_in_use', data: { used_by: [{ kind: 'floating_ip', name: '203.0.113.9' }] } },
    ],
    [busy(), {}, { code: 'engine_unavailable' }],
  ]
  for (const [reply, gateway, expected] of cases) {
    fixture.cloud.on('network', 'PUT', '/routers/:id', () => reply)
    const change = { external_gateway_info: gateway && { network_id: outside, enable_snat: true, ...gateway } }
    expect(await refusal(fixture.routers.update(fixture.member, router.id, change))).toMatchObject(expected)
  }
})

test('reads all routers with three list requests', async () => {
  for (let at = 0; at < 30; at++) {
    const router = fixture.neutron.add('routers', { name: `r${at}` })
    fixture.neutron.add('ports', {
      ...{ device_id: router.id, device_owner: 'network:router_interface', network_id: 'n' },
      fixed_ips: [{ subnet_id: 's', ip_address: `10.0.0.${at}` }],
    })
    fixture.neutron.add('ports', { device_id: router.id, device_owner: 'network:router_gateway', network_id: 'out' })
  }
  fixture.neutron.calls()
  const all: Router[] = []
  for await (const page of routerReader.all(fixture.engine.reading)) all.push(...page)
  expect(fixture.neutron.calls()).toEqual(['GET /ports', 'GET /networks', 'GET /routers'])
  expect(
    all.map(({ interfaces_info, external_interface }) => [interfaces_info.length, external_interface?.network_id]),
  ).toEqual(Array.from({ length: 30 }, () => [1, 'out']))
})
