import { PrivateNetworkDraft, PublicNetworkDraft, type Network } from '@mainstay/contract/networking/networks'
import { RouterDraft, type Router } from '@mainstay/contract/networking/routers'
import { ConnectionChange, ConnectionDraft, type IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import { IkePolicyDraft, type IkePolicy } from '@mainstay/contract/vpn/policies'
import type { VpnEndpointGroup } from '@mainstay/contract/vpn/endpoint-groups'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { until } from '../../conformance/cloud'
import { openPretendDataplane } from '../simulated/dataplane'
import { memberOf, openSimulatedCloud, operator, type SimulatedCloud } from '../testing/embedded-cloud'

/* Which rows VPN commands write and which requests they refuse, on a simulated dataplane. */

const scope = memberOf('ours')
let cloud: SimulatedCloud
let net: Network
let router: Router
let outside: Network
const dataplane = openPretendDataplane()

beforeEach(async () => {
  cloud = await openSimulatedCloud({ dataplane })
  outside = await cloud.networking.networks.createPublic(
    operator,
    PublicNetworkDraft.parse({
      ...{ name: 'outside', physical_network: 'public', subnets: [{ cidr: '203.0.113.0/24' }] },
      rbac_policies: [{ target_project: '*', actions: ['routed'] }],
    }),
  )
  await cloud.server.idle()
  net = await cloud.networking.networks.createPrivate(
    scope,
    PrivateNetworkDraft.parse({ name: 'office', subnets: [{ cidr: '10.40.0.0/24' }] }),
  )
  router = await cloud.networking.routers.create(
    scope,
    RouterDraft.parse({
      ...{ name: 'edge', external_gateway_info: { network_id: outside.id } },
      internal_interfaces: [{ network_id: net.id }],
    }),
  )
})
afterEach(() => cloud.close())

const draft = (change: object = {}, parts: object = {}) =>
  ConnectionDraft.parse({
    vpnservice: { router_id: router.id },
    ipsec_site_connection: { name: 'branch', peer_address: '192.0.2.7', psk: 'a key of ours', ...change },
    ikepolicy: { name: 'branch ike' },
    ipsecpolicy: { name: 'branch ipsec' },
    local_ep_group: { name: 'branch here', endpoints: [net.subnets[0]!.id] },
    peer_ep_group: { name: 'branch there', endpoints: ['10.77.0.0/16'] },
    ...parts,
  })
const vpn = () => cloud.vpn.ipsecSiteConnections
const row = (id: string) => cloud.memory.get<IpsecSiteConnection>('ipsec_site_connection', id)
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error,
  )

test('creates a connection with all its parts, reports it as up, and deletes it with these parts', async () => {
  const made = await vpn().create(scope, draft())
  expect(made).toMatchObject({ status: 'PENDING_CREATE', peer_id: '192.0.2.7', local_subnets: ['10.40.0.0/24'] })
  expect(JSON.stringify(cloud.memory.all('ipsec_site_connection'))).not.toContain('a key of ours')
  await until('the tunnel', async () => row(made.id)?.status === 'ACTIVE')
  expect(dataplane.wanted?.vpns).toMatchObject([{ routerId: router.id, connections: [{ psk: 'a key of ours' }] }])
  expect(await vpn().diagnosis(scope, made.id)).toMatchObject({ status: 'ACTIVE', cause: null })

  expect(await refusal(cloud.networking.routers.delete(scope, router.id, { withInterfaces: true }))).toMatchObject({
    ...{ code: 'router_in_use', message: expect.stringContaining('branch') },
  })
  expect(
    await refusal(cloud.networking.routers.update(scope, router.id, { external_gateway_info: null })),
  ).toMatchObject({ code: 'router_in_use' })
  expect(await refusal(cloud.networking.routers.removeInterface(scope, router.id, net.id))).toMatchObject({
    code: 'router_interface_in_use',
  })
  expect(await refusal(cloud.vpn.ikePolicies.delete(scope, made.ikepolicy_id))).toMatchObject({
    code: 'policy_in_use',
  })

  await vpn().delete(scope, made.id)
  for (const kind of ['ipsec_site_connection', 'ike_policy', 'ipsec_policy', 'vpn_endpoint_group', 'vpn_service'])
    expect(cloud.memory.all(kind)).toEqual([])
})

test('keeps a policy that was created independently, and hides connections from other projects', async () => {
  const policy: IkePolicy = await cloud.vpn.ikePolicies.create(scope, IkePolicyDraft.parse({ name: 'ours' }))
  const made = await vpn().create(scope, draft({ ikepolicy_id: policy.id }, { ikepolicy: undefined }))
  const stranger = memberOf('theirs')
  expect(await refusal(vpn().update(stranger, made.id, {}))).toMatchObject({ code: 'not_found' })
  expect(await refusal(vpn().delete(stranger, made.id))).toMatchObject({ code: 'not_found' })
  expect(await refusal(vpn().create(stranger, draft()))).toMatchObject({
    fields: { 'vpnservice.router_id': [expect.any(String)] },
  })
  await vpn().delete(scope, made.id)
  expect(cloud.memory.all<IkePolicy>('ike_policy')).toMatchObject([{ id: policy.id }])
})

test('refuses invalid connections and names the field', async () => {
  const bare = await cloud.networking.routers.create(scope, RouterDraft.parse({ name: 'inner' }))
  expect(await refusal(vpn().create(scope, draft({}, { vpnservice: { router_id: bare.id } })))).toMatchObject({
    ...{ code: 'router_no_gateway', fields: { 'vpnservice.router_id': [expect.any(String)] } },
  })
  const ranges = (...endpoints: string[]) => ({ peer_ep_group: { name: 'there', endpoints } })
  expect(await refusal(vpn().create(scope, draft({}, ranges('10.40.0.0/16'))))).toMatchObject({
    ...{ code: 'subnet_overlap', fields: { 'peer_ep_group.endpoints.0': [expect.any(String)] } },
  })
  const old = { ikepolicy: { name: 'old', ike_version: 'v1' }, ...ranges('10.77.0.0/16', '10.78.0.0/16') }
  expect(await refusal(vpn().create(scope, draft({}, old)))).toMatchObject({
    ...{ code: 'ikev1_single_subnet', fields: { 'peer_ep_group.endpoints': [expect.any(String)] } },
  })
  expect(cloud.memory.all('ike_policy')).toEqual([])
  await vpn().create(scope, draft())
  expect(await refusal(vpn().create(scope, draft({ name: 'twin' })))).toMatchObject({ code: 'subnet_overlap' })
  expect(
    await refusal(vpn().create(scope, draft({ name: 'sister', psk: 'another key' }, ranges('10.99.0.0/16')))),
  ).toMatchObject({ fields: { 'ipsec_site_connection.psk': [expect.any(String)] } })
})

test(
  "replaces the peer's endpoint group, and leaves the tunnel alone if only the name changes",
  { tags: 'all' },
  async () => {
    const made = await vpn().create(scope, draft())
    await until('the tunnel', async () => row(made.id)?.status === 'ACTIVE')
    const named = ConnectionChange.parse({ ipsec_site_connection: { name: 'renamed' } })
    expect(await vpn().update(scope, made.id, named)).toMatchObject({ name: 'renamed', status: 'ACTIVE' })
    const other = ConnectionChange.parse({ peer_ep_group: { name: 'there', endpoints: ['10.88.0.0/16'] } })
    const changed = await vpn().update(scope, made.id, other)
    expect(changed).toMatchObject({ status: 'PENDING_UPDATE', remote_subnets: ['10.88.0.0/16'] })
    expect(cloud.memory.all<VpnEndpointGroup>('vpn_endpoint_group')).toHaveLength(2)
    await until('the tunnel', async () => row(made.id)?.status === 'ACTIVE')
    const dpd = ConnectionChange.parse({ ipsec_site_connection: { dpd: { interval: 200 } } })
    expect(await refusal(vpn().update(scope, made.id, dpd))).toMatchObject({
      fields: { 'ipsec_site_connection.dpd.timeout': [expect.any(String)] },
    })
  },
)

test('records each status change of a tunnel with its time and reason', { tags: 'all' }, async () => {
  const made = await vpn().create(scope, draft())
  await until('the tunnel', async () => row(made.id)?.status === 'ACTIVE')
  const history = () => row(made.id)?.status_history ?? []
  expect(history().at(-1)).toMatchObject({ status: 'ACTIVE', reason: null, at: row(made.id)!.status_changed_at })
  const told = dataplane.tunnels
  const say = (isUp: boolean, reason: string | null) => {
    dataplane.tunnels = async () => {
      const reports = await told()
      return new Map([...reports].map(([id, report]) => [id, { ...report, isUp, reason }]))
    }
  }
  const comesTo = async (isUp: boolean, reason: string | null) => {
    say(isUp, reason)
    await until(
      'the row',
      async () => row(made.id)?.status === (isUp ? 'ACTIVE' : 'DOWN') && row(made.id)?.reason === reason,
      20_000,
    )
  }
  try {
    const before = history().length
    await comesTo(false, 'The peer does not respond')
    const since = row(made.id)!.status_changed_at
    await comesTo(false, 'The peer has a different key')
    // only the reason changes, so the time of the status stays the same
    expect(row(made.id)!.status_changed_at).toBe(since)
    await comesTo(true, null)
    expect(
      history()
        .slice(before)
        .map(({ status, reason }) => [status, reason]),
    ).toEqual([
      ['DOWN', 'The peer does not respond'],
      ['DOWN', 'The peer has a different key'],
      ['ACTIVE', null],
    ])
    expect(
      history()
        .map(({ at }) => at)
        .toSorted(),
    ).toEqual(history().map(({ at }) => at))
  } finally {
    dataplane.tunnels = told
  }
})

test('restarts a tunnel once the host has applied the connection [CA-099]', async () => {
  const restarted: string[] = []
  const restart = vi.spyOn(dataplane, 'restartTunnel').mockImplementation(async (id) => void restarted.push(id))
  const { id } = await vpn().create(scope, draft())
  await until('the tunnel', async () => row(id)?.status === 'ACTIVE')
  await cloud.server.idle()
  expect(restarted).toEqual([])
  expect(await vpn().restart(scope, id)).toMatchObject({ status: 'PENDING_UPDATE' })
  await cloud.server.idle()
  expect(restarted).toEqual([id])
  await until('the tunnel again', async () => row(id)?.status === 'ACTIVE')
  restart.mockRestore()
})
