import { floatingIps } from '@mainstay/contract/networking/floating-ips'
import { networks, type Network } from '@mainstay/contract/networking/networks'
import { deviceOwners, ports, type Port } from '@mainstay/contract/networking/ports'
import { reach } from '@mainstay/contract/networking/reach'
import { routers, type Router } from '@mainstay/contract/networking/routers'
import { topology } from '@mainstay/contract/networking/topology'
import type { Entity } from '@mainstay/engines/ports/records'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PersonaName } from '../../testing/personas'
import { floatingIpRow, groupRow, networkRow, portRow, routerRow } from '../../testing/networking-rows'
import { balancerRow, poolRow } from '../../testing/load-balancing-rows'
import { startServer, type TestServer } from '../../testing/start-server'

const as = 'project-member'
const other = 'domain-admin@alpha-two'

let server: TestServer
let front: Network
let back: Network
let office: Network
let web: Port
let router: Router
beforeAll(async () => {
  server = await startServer()
  const owner = ownerOf('alpha-one')
  front = networkRow(owner, 'front', ['10.5.0.0/24', 'fd05::/64'])
  back = networkRow(owner, 'back', ['10.6.0.0/24'])
  const lonely = networkRow(owner, 'lonely', ['10.7.0.0/24'])
  const policy = { target_project: owner.project_id, actions: ['routed'] }
  office = networkRow(ownerOf('beta-one'), 'office', ['203.0.113.0/24'], {
    ...{ router_external: true, type: 'flat', rbac_policies: [policy] },
  })
  const elsewhere = networkRow(ownerOf('beta-one'), 'elsewhere', ['198.51.100.0/24'], {
    ...{ router_external: true, type: 'flat', rbac_policies: [policy] },
  })
  web = portRow(owner, 'web', front, ['10.5.0.10', 'fd05::10'])
  const db = portRow(owner, 'db', back, ['10.6.0.11'])
  router = routerRow(owner, 'edge', [[front, '10.5.0.1']], [office, '203.0.113.10'])
  const inner = routerRow(owner, 'inner', [[back, '10.6.0.1']], null, { status: 'DOWN' })
  await put('network', [front, back, lonely, office, elsewhere])
  for (const { subnets, rbac_policies } of [front, back, lonely, office, elsewhere])
    await put(
      'subnet',
      subnets.map((subnet) => ({ ...subnet, rbac_policies })),
    )
  await put('port', [
    web,
    db,
    portRow(owner, 'alone', lonely, ['10.7.0.12']),
    portRow(owner, 'six', lonely, ['fd07::1']),
    portRow(owner, 'leg', front, ['10.5.0.1'], {
      ...{ device_owner: deviceOwners.routerInterface, device_id: 'edge', device_name: 'edge' },
    }),
    portRow(ownerOf('alpha-two'), 'theirs', office, ['203.0.113.11']),
  ])
  await put('router', [router, inner])
  await put('floating_ip', [
    floatingIpRow(owner, 'fip-web', office, '203.0.113.12', { port: web, router }),
    floatingIpRow(owner, 'fip-free', office, '203.0.113.13'),
    floatingIpRow(owner, 'fip-elsewhere', elsewhere, '198.51.100.14'),
  ])
})
afterAll(() => server.close())

const ownerOf = (project: string) => {
  const { id, domain_id } = server.cast.projects[project]!
  return { project_id: id, domain_id }
}
const put = (kind: string, rows: Entity[]) =>
  server.tools.inventory.from('embedded').transaction(async (records) => {
    for (const row of rows) await records.put(kind, row)
  })

describe('addresses', () => {
  it('are counted by subnet, including addresses used by other projects', async () => {
    const { data } = await server.call(networks.addressUse, { as, query: { network_id: 'front' } })
    expect(data).toEqual([
      { subnet_id: 'front-4', network_id: 'front', cidr: '10.5.0.0/24', ip_version: 4, total: '10', used: 2 },
      { subnet_id: 'front-6', network_id: 'front', cidr: 'fd05::/64', ip_version: 6, total: '10', used: 1 },
    ])
    const all = await server.call(networks.addressUse, { as })
    const office = all.data.find(({ subnet_id }) => subnet_id === 'office-4')
    expect(office).toMatchObject({ used: 1 })
    expect((await server.call(networks.addressUse, { as: other })).data.map((it) => it.network_id)).not.toContain(
      'front',
    )
  })

  it('are listed in order for a visible network, with their holders and reservations', async () => {
    const { data, truncated } = await server.call(networks.holders, { as, params: { id: 'front' } })
    expect(truncated).toBe(false)
    expect(data.map(({ address, kind, object_name }) => [address, kind, object_name])).toEqual([
      ['10.5.0.1', 'router', 'edge'],
      ['10.5.0.2', 'reserved', 'dns'],
      ['10.5.0.10', 'instance', 'VM web'],
      ['fd05::1', 'reserved', 'gateway'],
      ['fd05::2', 'reserved', 'dns'],
      ['fd05::10', 'instance', 'VM web'],
    ])
    await expect(server.call(networks.holders, { as: other, params: { id: 'front' } })).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  it('of other projects are hidden with routed access, and shown without details with direct access', async () => {
    const operators = await server.call(networks.holders, { as: 'superuser', params: { id: 'office' } })
    expect(operators.data.find(({ address }) => address === '203.0.113.11')).toMatchObject({
      ...{ kind: 'instance', object_name: 'VM theirs', project_id: ownerOf('alpha-two').project_id },
    })
    const routed = await server.call(networks.holders, { as, params: { id: 'office' } })
    expect(routed.data.map(({ address }) => address)).toEqual(['203.0.113.1', '203.0.113.2'])
    const project = ownerOf('alpha-one').project_id
    await put('network', [{ ...office, rbac_policies: [{ target_project: project, actions: ['direct', 'routed'] }] }])
    const direct = await server.call(networks.holders, { as, params: { id: 'office' } })
    expect(direct.data.find(({ address }) => address === '203.0.113.11')).toEqual({
      ...{ address: '203.0.113.11', kind: 'port', object_id: null, object_name: '' },
      ...{ port_id: null, mac_address: null, status: null },
    })
    await put('network', [office])
  })

  it('are found together with their holder, in any notation', async () => {
    const found = (address: string, who: PersonaName = as) =>
      server.call(networks.whoHas, { as: who, query: { address } })
    expect((await found('fd05:0:0::0010')).data).toMatchObject([{ address: 'fd05::10', network_name: 'front' }])
    expect((await found('203.0.113.11')).data).toEqual([])
    expect((await found('203.0.113.11', 'superuser')).data).toMatchObject([{ object_name: 'VM theirs' }])
    await expect(found('10.5.0')).rejects.toMatchObject({
      code: 'validation',
      fields: { address: [expect.any(String)] },
    })
  })

  it('are suggested as a free range of the requested size', async () => {
    const free = async (query: { prefix?: number; version?: 4 | 6 }) =>
      (await server.call(networks.freeRange, { as, query })).cidr
    expect(await free({})).toBe('192.168.0.0/24')
    await put('subnet', [{ ...front.subnets[0]!, id: 'other', cidr: '192.168.0.0/23' }])
    expect(await free({})).toBe('192.168.2.0/24')
    expect(await free({ prefix: 20 })).toBe('192.168.16.0/20')
    expect(await free({ prefix: 8 })).toBeNull()
    expect(await free({ version: 6, prefix: 64 })).toBe('fd00::/64')
  })
})

it('lists the possible targets of a floating IP, and for all other ports the reason', async () => {
  const owner = ownerOf('alpha-one')
  // like the default network, which reaches external networks through the host
  const hosted = networkRow(owner, 'hosted', ['10.8.0.0/24'], { type: 'flat' })
  await put('network', [hosted])
  await put('port', [portRow(owner, 'hosted-port', hosted, ['10.8.0.10'])])
  const { data } = await server.call(floatingIps.targets, { as, params: { id: 'fip-free' } })
  const told = data.map(({ object_name, fixed_ip_address, reason }) => `${object_name} ${fixed_ip_address} ${reason}`)
  expect(told.toSorted()).toEqual([
    'VM alone 10.7.0.12 no_router',
    'VM db 10.6.0.11 router_without_gateway',
    'VM hosted-port 10.8.0.10 host_network',
    'VM six fd07::1 no_ipv4_address',
    'VM web 10.5.0.10 has_floating_ip',
  ])
  const own = await server.call(floatingIps.targets, { as, params: { id: 'fip-web' } })
  expect(own.data[0]).toMatchObject({ object_name: 'VM web', reason: null, router_id: 'edge' })
  const elsewhere = await server.call(floatingIps.targets, {
    as,
    params: { id: 'fip-elsewhere' },
    query: { search: 'web' },
  })
  expect(elsewhere.data).toMatchObject([{ object_name: 'VM web', reason: 'has_floating_ip' }])
  await expect(server.call(floatingIps.targets, { as: other, params: { id: 'fip-free' } })).rejects.toMatchObject({
    code: 'not_found',
  })
})

it('shows connected objects and broken connections in the topology, but no objects in other projects', async () => {
  const { nodes, edges, truncated } = await server.call(topology.view, { as })
  expect(truncated).toBe(false)
  const names = new Map(nodes.map(({ id, kind }) => [id, kind]))
  expect(names.get('outside')).toBe('outside')
  expect(nodes.find(({ id }) => id === 'vm-web')).toMatchObject({
    ...{ kind: 'instance', name: 'VM web', addresses: ['10.5.0.10', 'fd05::10'], floating_ips: ['203.0.113.12'] },
  })
  const ways = edges.map(({ from, to, broken }) => `${from} ${broken ? '×' : '–'} ${to}`)
  expect(ways).toEqual(
    expect.arrayContaining(['outside – office', 'office – edge', 'edge – front', 'front – vm-web', 'inner × back']),
  )
  expect(edges.find(({ from }) => from === 'inner')!.broken).toBe('inner is DOWN')
  const theirs = await server.call(topology.view, { as: other })
  expect(theirs.nodes.map(({ id }) => id)).not.toContain('edge')
})

it('shows load balancers in the topology and the state of the connections to their members', async () => {
  const owner = ownerOf('alpha-one')
  const shop = balancerRow(owner, 'shop', front, '10.5.0.50', 'shop-port')
  await put('load_balancer', [shop])
  await put('lb_pool', [
    poolRow(shop, 'pool', [
      { address: '10.5.0.10', port_id: 'web', health: 'HEALTHY' },
      { address: '10.6.0.11', port_id: 'db', health: 'UNHEALTHY', reason: 'It refuses connections on port 80' },
      { address: '10.7.0.12', port_id: 'alone', health: 'DISABLED', enabled: false },
    ]),
  ])
  const { nodes, edges } = await server.call(topology.view, { as })
  expect(nodes.find(({ id }) => id === 'shop')).toMatchObject({
    ...{ kind: 'load_balancer', name: 'shop', status: 'ACTIVE', addresses: ['10.5.0.50'] },
  })
  const ways = edges.filter(({ from, to }) => from === 'shop' || to === 'shop')
  expect(ways).toEqual([
    { from: front.id, to: 'shop', addresses: ['10.5.0.50'], broken: null },
    { from: 'shop', to: 'vm-web', addresses: ['10.5.0.10'], broken: null },
    { from: 'shop', to: 'vm-db', addresses: ['10.6.0.11'], broken: 'It refuses connections on port 80' },
  ])
  const theirs = await server.call(topology.view, { as: other })
  expect(theirs.nodes.map(({ id }) => id)).not.toContain('shop')
})

it('finds ports by address, device, MAC address and group, and updates them with PUT and PATCH', async () => {
  const ids = async (query: Record<string, unknown>) =>
    (await server.call(ports.list, { as, query })).data.map(({ id }) => id)
  expect(await ids({ fixed_ips: 'any:10.6.0.11' })).toEqual(['db'])
  expect(await ids({ device_id: 'edge', device_owner: deviceOwners.routerInterface })).toEqual(['leg'])
  expect([ports.put.verb, ports.put.path]).toEqual(['PUT', ports.update.path])
})

it('returns a router’s interfaces in the format that clients expect [CA-062]', async () => {
  const told = await server.call(routers.interfaces, { as, params: { id: 'edge' } })
  expect(told).toEqual({ external_interface: router.external_interface, internal_interfaces: router.interfaces_info })
  await expect(server.call(routers.interfaces, { as: other, params: { id: 'edge' } })).rejects.toMatchObject({
    code: 'not_found',
  })
})

describe('the reachability of a destination', () => {
  const ask = (source: string, destination: string, who: PersonaName = as) =>
    server.call(reach.ask, {
      as: who,
      body: {
        source: { port_id: source },
        destination: /^[\d.]+$/.test(destination) ? { address: destination } : { port_id: destination },
        ...{ protocol: 'tcp', port: 80 },
      },
    })

  it('is explained with the name of each rule and hop', async () => {
    const owner = ownerOf('alpha-one')
    const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
    const inside = networkRow(owner, id(1), ['10.15.0.0/24'])
    const outside = networkRow(owner, id(2), ['192.0.2.0/24'], { router_external: true, type: 'flat' })
    const group = groupRow(owner, id(3), [
      { direction: 'egress' },
      { direction: 'ingress', protocol: 'tcp', port_range_min: 80, port_range_max: 80 },
    ])
    await put('network', [inside, outside])
    await put('security_group', [{ ...group, name: 'open' }])
    await put('port', [portRow(owner, id(4), inside, ['10.15.0.10'], { security_groups: [id(3)] })])
    const way = routerRow(owner, id(5), [[inside, '10.15.0.1']], [outside, '192.0.2.10'], { name: 'way out' })
    await put('router', [way])

    const { verdict, steps } = await ask(id(4), '9.9.9.9')
    expect(verdict).toBe('allowed')
    const told = steps.map(({ code, object }) => `${code} ${object?.name ?? '–'}`)
    expect(told).toEqual(expect.arrayContaining(['rule open', 'route way out', 'snat way out', 'uplink –']))
    expect(steps.find(({ code }) => code === 'rule')).toMatchObject({
      ...{ direction: 'egress', rule: { id: `${id(3)}-0`, direction: 'egress' } },
    })
    const refused = await ask(id(4), '10.15.0.77')
    expect(refused.verdict).toBe('refused')
    expect(refused.steps.at(-1)).toMatchObject({ code: 'nobody', state: 'refused', address: '10.15.0.77' })
  })

  it('includes the members of a load balancer, or the range or group that blocks traffic', async () => {
    const owner = ownerOf('alpha-one')
    const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
    const net = networkRow(owner, id(11), ['10.16.0.0/24'])
    const group = { ...groupRow(owner, id(12), [{ direction: 'egress' }]), name: 'shut' }
    const open = { security_groups: [], spoofing_protection: false }
    const balancer = balancerRow(owner, id(13), net, '10.16.0.50', id(14))
    const member = (address: string) => ({
      address,
      health: 'UNKNOWN' as const,
      id: id(100 + Number(address.split('.')[3])),
    })
    await put('network', [net])
    await put('security_group', [group])
    await put('port', [
      portRow(owner, id(14), net, ['10.16.0.50'], {
        ...{ ...open, device_owner: deviceOwners.loadBalancer, device_id: balancer.id, device_name: 'store' },
      }),
      portRow(owner, id(15), net, ['10.16.0.10'], open),
      portRow(owner, id(16), net, ['10.16.0.11'], open),
      portRow(owner, id(17), net, ['10.16.0.12'], { security_groups: [id(12)] }),
    ])
    await put('load_balancer', [{ ...balancer, name: 'store' }])
    await put('lb_pool', [
      poolRow(balancer, id(18), [member('10.16.0.12'), member('10.16.0.11')]),
      poolRow(balancer, id(19), [member('10.16.0.12')], { protocol_port: 81 }),
      poolRow(balancer, id(20), [member('10.16.0.11')], { protocol_port: 82, allowed_cidrs: ['10.16.0.128/25'] }),
    ])
    const last = async (port: number) => {
      const source = { port_id: id(15) }
      const { verdict, steps } = await server.call(reach.ask, {
        ...{ as, body: { source, destination: { port_id: id(14) }, protocol: 'tcp', port } },
      })
      return { verdict, steps, end: steps.at(-1)! }
    }
    const passed = await last(80)
    expect(passed.verdict).toBe('allowed')
    expect(passed.steps).toContainEqual(
      expect.objectContaining({
        ...{ code: 'balancer', address: '10.16.0.11' },
        object: { kind: 'load_balancer', id: id(13), name: 'store' },
      }),
    )
    expect((await last(81)).end).toMatchObject({
      code: 'no_rule',
      state: 'refused',
      direction: 'ingress',
      object: { id: id(17) },
    })
    expect((await last(82)).end).toMatchObject({
      code: 'balancer_refuses',
      address: '10.16.0.10',
      object: { name: 'store' },
    })
    expect((await last(83)).end).toMatchObject({ code: 'balancer_closed', state: 'refused', object: { name: 'store' } })
  })

  it('from outside is explained by the floating IP, its published port or the missing rule', async () => {
    const owner = ownerOf('alpha-one')
    const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
    const inside = networkRow(owner, id(31), ['10.17.0.0/24'])
    const outside = networkRow(owner, id(38), ['203.0.113.0/24'], { router_external: true, type: 'flat' })
    const group = groupRow(owner, id(33), [
      { direction: 'egress' },
      { direction: 'ingress', protocol: 'tcp', port_range_min: 80, port_range_max: 80 },
    ])
    const standard = groupRow(owner, id(37), [])
    const shop = portRow(owner, id(34), inside, ['10.17.0.10'], { security_groups: [id(37), id(33)] })
    const way = routerRow(owner, id(32), [[inside, '10.17.0.1']], [outside, '203.0.113.60'])
    const floating = floatingIpRow(owner, id(35), outside, '203.0.113.61', { port: shop, router: way })
    await put('network', [inside, outside])
    await put('security_group', [{ ...standard, name: 'default' }, group])
    await put('port', [shop, portRow(owner, id(36), inside, ['10.17.0.11'], { security_groups: [id(33)] })])
    await put('router', [way])
    await put('floating_ip', [floating])
    const from = async (to: string, port: number) => {
      const destination = /^[\d.]+$/.test(to) ? { address: to } : { port_id: to }
      const source = { address: '192.0.2.1' }
      const body = { source, destination, protocol: 'tcp' as const, port }
      const { verdict, steps } = await server.call(reach.ask, { as, body })
      return { verdict, first: steps[0]!, end: steps.at(-1)! }
    }
    expect(await from(id(34), 80)).toMatchObject({
      ...{ verdict: 'allowed', end: { code: 'not_published', state: 'unknown', object: { name: '203.0.113.61' } } },
    })
    const open = { port: 80, protocol: 'tcp' as const, host_address: '127.50.1.1', host_port: 8080, fault: null }
    await put('floating_ip', [{ ...floating, published_ports: [open] }])
    for (const to of [id(34), '203.0.113.61'])
      expect(await from(to, 80)).toMatchObject({
        ...{ verdict: 'allowed', end: { code: 'rule' } },
        first: { code: 'published', state: 'passes', address: '127.50.1.1:8080' },
      })
    expect(await from(id(34), 22)).toMatchObject({
      verdict: 'refused',
      end: {
        ...{ code: 'no_rule', object: { id: id(34) } },
        missing_rule: {
          ...{ security_group_id: id(33), direction: 'ingress', ethertype: 'IPv4', protocol: 'tcp' },
          ...{ port_range_min: 22, port_range_max: 22 },
        },
      },
    })
    expect(await from(id(36), 80)).toMatchObject({
      ...{ verdict: 'refused', end: { code: 'no_outside_address', object: { name: `VM ${id(36)}` } } },
    })
  })

  it('is explained only for visible ports', async () => {
    await expect(ask('web', '10.5.0.77', other)).rejects.toMatchObject({ code: 'not_found' })
    await expect(ask('web', 'theirs')).rejects.toMatchObject({ code: 'not_found' })
  })
})
