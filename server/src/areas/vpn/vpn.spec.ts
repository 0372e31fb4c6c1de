import { tasks } from '@mainstay/contract/core/tasks'
import { networks, type Network } from '@mainstay/contract/networking/networks'
import { routers, type Router } from '@mainstay/contract/networking/routers'
import { ipsecSiteConnections as connections } from '@mainstay/contract/vpn/connections'
import { endpointGroups } from '@mainstay/contract/vpn/endpoint-groups'
import { ikePolicies, ipsecPolicies } from '@mainstay/contract/vpn/policies'
import { vpnServices } from '@mainstay/contract/vpn/vpn-services'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startServer, type TestServer } from '../../testing/start-server'

/* VPN connections through the API of a complete server. Engine tests cover the traffic. */

const as = 'project-member'
const stranger = 'other-member'
const unhurried = { timeout: 20_000, interval: 50 }
const psk = 'known at both ends only'

let server: TestServer
let inner: Network
let edge: Router
beforeAll(async () => {
  server = await startServer()
  const { id } = await server.call(networks.createPublic, {
    as: 'superuser',
    body: {
      ...{ name: 'internet', physical_network: 'public', subnets: [{ cidr: '203.0.113.0/24' }] },
      rbac_policies: [{ target_project: '*', actions: ['routed'] }],
    },
  })
  inner = await server.call(networks.createPrivate, {
    as,
    body: { name: 'inner', subnets: [{ cidr: '10.20.1.0/24' }] },
  })
  edge = await server.call(routers.create, {
    as,
    body: {
      ...{ name: 'edge', external_gateway_info: { network_id: id } },
      internal_interfaces: [{ network_id: inner.id }],
    },
  })
})
afterAll(() => server.close())

const draft = (name: string, range: string) => ({
  vpnservice: { router_id: edge.id },
  ipsec_site_connection: { name, peer_address: '198.51.100.7', psk },
  ikepolicy: { name: `${name}-ike`, ike_version: 'v2' as const, lifetime: { value: 7200 } },
  ipsecpolicy: { name: `${name}-ipsec`, encryption_algorithm: 'aes-128' as const },
  local_ep_group: { name: `${name}-local`, type: 'subnet' as const, endpoints: [inner.subnets[0]!.id] },
  peer_ep_group: { name: `${name}-peer`, type: 'cidr' as const, endpoints: [range] },
})
const view = (id: string) => server.call(connections.view, { as, params: { id } })
const settled = (id: string) =>
  vi.waitFor(async () => expect((await view(id)).status).not.toMatch(/PENDING|BUILD/), unhurried)
async function make(name: string, range: string) {
  const made = await server.call(connections.create, { as, body: draft(name, range) })
  await settled(made.id)
  return made
}
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'nothing went wrong',
    ({ code }: { code: string }) => code,
  )

it('creates, reads, updates and deletes a connection and its policies [CA-094] [CA-095] [CA-096] [CA-097] [CA-098]', async () => {
  expect(
    [
      connections.list,
      connections.create,
      connections.view,
      connections.update,
      connections.put,
      connections.delete,
    ].map(({ verb, path }) => `${verb} ${path}`),
  ).toEqual([
    'GET /api/v2/compute/vpn/ipsec-site-connections',
    'POST /api/v2/compute/vpn/ipsec-site-connections',
    'GET /api/v2/compute/vpn/ipsec-site-connections/:id',
    'PATCH /api/v2/compute/vpn/ipsec-site-connections/:id',
    'PUT /api/v2/compute/vpn/ipsec-site-connections/:id',
    'DELETE /api/v2/compute/vpn/ipsec-site-connections/:id',
  ])
  const made = await make('office', '10.77.0.0/16')
  const shown = await view(made.id)
  expect(shown).toMatchObject({
    ...{ name: 'office', peer_address: '198.51.100.7', peer_id: '198.51.100.7', router_id: edge.id },
    ...{ local_subnets: ['10.20.1.0/24'], remote_subnets: ['10.77.0.0/16'], ike_version: 'v2' },
    dpd: { action: 'hold', interval: 30, timeout: 120 },
  })
  expect(JSON.stringify(shown)).not.toContain(psk)
  const list = async (query: Record<string, string>) => (await server.call(connections.list, { as, query })).data
  // the state of the tunnel may change between two responses
  await vi.waitFor(async () => expect(await list({ name: 'exact:office' })).toEqual([await view(made.id)]), unhurried)
  expect((await list({ peer_address: 'contains:198.51.100' })).map(({ id }) => id)).toEqual([made.id])
  expect(await list({ peer_address: 'contains:192.0.2' })).toEqual([])
  const params = { id: made.id }
  await server.call(connections.update, { as, params, body: { ipsec_site_connection: { name: 'main office' } } })
  await settled(made.id)
  await server.call(connections.put, { as, params, body: { ipsec_site_connection: { initiator: 'response-only' } } })
  await settled(made.id)
  expect(await view(made.id)).toMatchObject({ name: 'main office', initiator: 'response-only' })
  // other projects can neither view nor change the connection
  const refusals = [
    server.call(connections.view, { as: stranger, params }),
    server.call(connections.update, { as: stranger, params, body: { ipsec_site_connection: { name: 'mine' } } }),
    server.call(connections.delete, { as: stranger, params }),
    server.call(connections.restart, { as: stranger, params }),
  ].map(codeOf)
  expect(await Promise.all(refusals)).toEqual(refusals.map(() => 'not_found'))
  expect((await server.call(connections.list, { as: stranger })).data).toEqual([])
  await server.call(connections.delete, { as, params })
  await vi.waitFor(async () => expect(await codeOf(view(made.id))).toBe('not_found'), unhurried)
  // policies and groups that were created for the connection are deleted with it
  for (const kind of [ikePolicies, ipsecPolicies, endpointGroups])
    expect((await server.call(kind.list as typeof ikePolicies.list, { as })).data).toEqual([])
})

it('restarts a connection in a task [CA-099]', async () => {
  const { id } = await make('restarted', '10.78.0.0/16')
  expect(connections.restart).toMatchObject({
    verb: 'POST',
    path: '/api/v2/compute/vpn/ipsec-site-connections/:id/restart',
  })
  await server.call(connections.restart, { as, params: { id } })
  await vi.waitFor(async () => {
    const { data } = await server.call(tasks.list, { as, query: { subject_id: id } })
    expect(data.map(({ name, state }) => `${name} ${state}`)).toContain('compute.ipsec_site_connection.restart success')
  }, unhurried)
  await settled(id)
  await server.call(connections.delete, { as, params: { id } })
})

it('lists and returns policies, endpoint groups and VPN services [CA-100] [CA-101] [CA-102] [CA-103]', async () => {
  const made = await make('parts', '10.79.0.0/16')
  expect([ipsecPolicies, ikePolicies, endpointGroups, vpnServices].map(({ list }) => list.path)).toEqual([
    '/api/v2/compute/vpn/ipsecpolicies',
    '/api/v2/compute/vpn/ikepolicies',
    '/api/v2/compute/vpn/endpoint-groups',
    '/api/v2/compute/vpn/vpnservices',
  ])
  const of = <Row extends { id: string }>(rows: Row[], id: string) => rows.find((row) => row.id === id)
  const ipsec = await server.call(ipsecPolicies.view, { as, params: { id: made.ipsecpolicy_id } })
  expect(ipsec).toMatchObject({
    ...{ name: 'parts-ipsec', encryption_algorithm: 'aes-128', auth_algorithm: 'sha256', pfs: 'group14' },
    lifetime: { units: 'seconds', value: 3600 },
  })
  expect(of((await server.call(ipsecPolicies.list, { as })).data, ipsec.id)).toEqual(ipsec)
  const ike = await server.call(ikePolicies.view, { as, params: { id: made.ikepolicy_id } })
  expect(ike).toMatchObject({
    ...{ name: 'parts-ike', ike_version: 'v2', encryption_algorithm: 'aes-256', auth_algorithm: 'sha256' },
    lifetime: { units: 'seconds', value: 7200 },
  })
  expect(of((await server.call(ikePolicies.list, { as })).data, ike.id)).toEqual(ike)
  const groups = (await server.call(endpointGroups.list, { as })).data
  expect(of(groups, made.local_ep_group_id)).toMatchObject({ type: 'subnet', endpoints: [inner.subnets[0]!.id] })
  expect(of(groups, made.peer_ep_group_id)).toMatchObject({ type: 'cidr', endpoints: ['10.79.0.0/16'] })
  const service = await server.call(vpnServices.view, { as, params: { id: made.vpnservice_id } })
  expect(service).toMatchObject({ router_id: edge.id })
  for (const [view_, id] of [
    [ipsecPolicies.view, ipsec.id],
    [ikePolicies.view, ike.id],
    [endpointGroups.view, made.peer_ep_group_id],
    [vpnServices.view, service.id],
  ] as const)
    expect(await codeOf(server.call(view_ as typeof ikePolicies.view, { as: stranger, params: { id } }))).toBe(
      'not_found',
    )
  // a policy that is in use cannot be deleted
  const { delete: remove } = ikePolicies
  expect(await codeOf(server.call(remove, { as, params: { id: ike.id } }))).toBe('policy_in_use')
  await server.call(connections.delete, { as, params: { id: made.id } })
})
