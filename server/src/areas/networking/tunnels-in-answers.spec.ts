import type { Network } from '@mainstay/contract/networking/networks'
import { reach } from '@mainstay/contract/networking/reach'
import { topology } from '@mainstay/contract/networking/topology'
import type { IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import type { Entity } from '@mainstay/engines/ports/records'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { groupRow, networkRow, portRow, routerRow } from '../../testing/networking-rows'
import { startServer, type TestServer } from '../../testing/start-server'
import { connectionRow } from '../../testing/vpn-rows'

/* A router with two networks, only one of which is connected to an office through a tunnel. */

const as = 'project-member'
const other = 'domain-admin@alpha-two'
const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
const [web, spare] = [id(11), id(12)]

let server: TestServer
let office: IpsecSiteConnection
const put = (kind: string, rows: Entity[]) =>
  server.tools.inventory.from('embedded').transaction(async (records) => {
    for (const row of rows) await records.put(kind, row)
  })
const change = (to: Partial<IpsecSiteConnection>) => put('ipsec_site_connection', [{ ...office, ...to }])

beforeAll(async () => {
  server = await startServer()
  const { id: project_id, domain_id } = server.cast.projects['alpha-one']!
  const owner = { project_id, domain_id }
  const named = (row: Network, name: string) => ({ ...row, name })
  const front = named(networkRow(owner, id(1), ['10.40.0.0/24']), 'front')
  const back = named(networkRow(owner, id(2), ['10.41.0.0/24']), 'back')
  const outside = networkRow(owner, id(3), ['198.51.100.0/24'], { router_external: true, type: 'flat' })
  const group = groupRow(owner, id(4), [
    { direction: 'egress' },
    { direction: 'ingress', protocol: 'tcp', port_range_min: 80, port_range_max: 80, remote_ip_prefix: '10.30.0.0/24' },
  ])
  const legs = [
    [front, '10.40.0.1'],
    [back, '10.41.0.1'],
  ] as const
  const edge = routerRow(owner, id(5), legs, [outside, '198.51.100.10'], { name: 'edge' })
  office = {
    ...connectionRow(owner, id(6), edge, [['10.40.0.0/24'], ['10.30.0.0/24']], { peer_address: '203.0.113.9' }),
    name: 'office',
  }
  const groups = { security_groups: [group.id] }
  await put('network', [front, back, outside])
  await put('security_group', [group])
  await put('port', [
    portRow(owner, web, front, ['10.40.0.11'], groups),
    portRow(owner, spare, back, ['10.41.0.11'], groups),
  ])
  await put('router', [edge])
})
beforeEach(() => change({}))
afterAll(() => server.close())

const ask = async (source: string, destination: string, port = 80) => {
  const end = (text: string) => (/^[\d.]+$/.test(text) ? { address: text } : { port_id: text })
  const body = { source: end(source), destination: end(destination), protocol: 'tcp' as const, port }
  const { verdict, steps } = await server.call(reach.ask, { as, body })
  return { verdict, codes: steps.map(({ code }) => code), end: steps.at(-1)!, steps }
}
const connection = { kind: 'ipsec_site_connection', id: id(6), name: 'office' }

it('allows traffic from an instance through a tunnel and names the tunnel', async () => {
  const { verdict, codes, end } = await ask(web, '10.30.0.7')
  expect({ verdict, codes }).toEqual({ verdict: 'allowed', codes: ['rule', 'switch', 'tunnel'] })
  expect(end).toMatchObject({ direction: 'egress', object: connection, address: '203.0.113.9' })
})

it('applies security groups to traffic that arrives through a tunnel', async () => {
  const { verdict, steps } = await ask('10.30.0.7', web)
  expect(verdict).toBe('allowed')
  expect(steps[0]).toMatchObject({ code: 'tunnel', direction: 'ingress', object: connection })
  expect(steps.at(-1)).toMatchObject({ code: 'rule', rule: { remote_ip_prefix: '10.30.0.0/24' } })
  expect((await ask('10.30.0.7', web, 22)).end).toMatchObject({ code: 'no_rule', state: 'refused' })
})

it('names a tunnel that is down or that does not include the subnet', async () => {
  expect((await ask(spare, '10.30.0.7')).end).toMatchObject({
    ...{ code: 'not_in_tunnel', state: 'refused', object: connection, address: '10.41.0.11' },
  })
  expect((await ask('10.30.0.7', spare)).end).toMatchObject({ code: 'not_in_tunnel', object: connection })
  await change({ status: 'DOWN', reason: 'The peer has another key' })
  for (const found of [await ask(web, '10.30.0.7'), await ask('10.30.0.7', web)]) {
    expect(found.verdict).toBe('refused')
    expect(found.end).toMatchObject({ code: 'tunnel_down', state: 'refused', object: connection })
  }
})

it('supports a peer that is identified by its host name', async () => {
  await change({ peer_address: 'vpn.example.com' })
  expect((await ask(web, '10.30.0.7')).end).toMatchObject({ code: 'tunnel', address: 'vpn.example.com' })
})

it('shows the remote side of a tunnel in the topology and, while it is down, the reason', async () => {
  const seen = async () => {
    const { nodes, edges } = await server.call(topology.view, { as })
    return { peers: nodes.filter(({ kind }) => kind === 'peer'), ways: edges.filter(({ to }) => to === office.id) }
  }
  const way = { from: id(5), to: office.id, addresses: ['203.0.113.9'] }
  expect(await seen()).toEqual({
    peers: [
      {
        ...{ id: office.id, kind: 'peer', name: 'office', status: 'ACTIVE' },
        ...{ addresses: ['203.0.113.9', '10.30.0.0/24'], floating_ips: [] },
      },
    ],
    ways: [{ ...way, broken: null }],
  })
  await change({ status: 'DOWN', reason: 'The peer has another key' })
  expect((await seen()).ways).toEqual([{ ...way, broken: 'The peer has another key' }])
  await change({ status: 'DOWN' })
  expect((await seen()).ways).toEqual([{ ...way, broken: 'The tunnel is down' }])
  await change({ status: 'PENDING_CREATE' })
  expect((await seen()).ways).toEqual([{ ...way, broken: 'The tunnel is being created' }])
  // the peer is hidden if the caller cannot see the router
  await change({ router_id: id(99) })
  expect(await seen()).toEqual({ peers: [], ways: [] })
  const theirs = await server.call(topology.view, { as: other })
  expect(theirs.nodes.map((it) => it.id)).not.toContain(office.id)
})
