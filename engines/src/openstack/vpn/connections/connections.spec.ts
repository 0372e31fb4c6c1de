import { IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import { VpnEndpointGroup } from '@mainstay/contract/vpn/endpoint-groups'
import { IkePolicy, IpsecPolicy } from '@mainstay/contract/vpn/policies'
import { VpnService } from '@mainstay/contract/vpn/vpn-services'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { refusal } from '../../../conformance/cloud'
import { neutronRefusal } from '../../testing/fake-cloud/refusals'
import type { VpnList } from '../../testing/fake-cloud/vpnaas'
import { secret, startVpnFixture, type VpnFixture } from '../../testing/vpn-fixture'
import { connectionReader } from './reader'

let fixture: VpnFixture
beforeEach(async () => {
  fixture = await startVpnFixture()
})
afterEach(async () => {
  vi.useRealTimers()
  await fixture.close()
})

const counts = () => fixture.counts()
const connections = () => fixture.vpn.ipsecSiteConnections
const calls = (verb: string) => fixture.cloud.received.filter((it) => it.path.startsWith('/vpn/') && it.verb === verb)
/** Sets the response to subsequent requests for a list. */
const refuse = (list: VpnList, status: number, type: string, message: string, verb = 'POST') =>
  fixture.cloud.on('network', verb, `/vpn/${list}`, () => neutronRefusal(status, type, message))

test('creates a connection with its policies, groups and service in separate calls', async () => {
  const row = await fixture.connection({ description: 'to the branch', dpd: { action: 'restart' } })
  expect(IpsecSiteConnection.parse(row)).toEqual(row)
  expect(row).toMatchObject({
    ...{ name: 'branch', description: 'to the branch', status: 'DOWN', reason: null },
    ...{ peer_address: '198.51.100.9', peer_id: '198.51.100.9', local_id: null, local_address: '203.0.113.1' },
    ...{ ike_version: 'v2', initiator: 'bi-directional', split_selector: false, router_name: 'edge-1' },
    ...{ dpd: { action: 'restart', interval: 30, timeout: 120 } },
    ...{ local_subnets: ['10.0.1.0/24'], remote_subnets: ['10.77.0.0/16'] },
    ...{ project_id: 'p-demo', domain_id: 'default' },
  })
  expect(counts()).toEqual([1, 1, 1, 2, 1])
  const parts = [
    [IkePolicy, 'ike_policy', row.ikepolicy_id, 'branch-ike'],
    [IpsecPolicy, 'ipsec_policy', row.ipsecpolicy_id, 'branch-ipsec'],
    [VpnEndpointGroup, 'vpn_endpoint_group', row.local_ep_group_id, 'branch-local'],
    [VpnEndpointGroup, 'vpn_endpoint_group', row.peer_ep_group_id, 'branch-peer'],
    [VpnService, 'vpn_service', row.vpnservice_id, 'edge-1'],
  ] as const
  for (const [shape, kind, id, name] of parts) {
    const part = fixture.indexed<{ description?: string }>(kind, id)!
    expect(shape.parse(part)).toEqual(part)
    expect(part).toMatchObject({ name })
    // the mark in the cloud's description is not shown
    expect(part.description ?? '').toBe('')
  }
  // a second connection uses the existing service of its router
  const second = await fixture.connection(
    {
      name: 'other',
      peer_address: '198.51.100.10',
      ikepolicy_id: row.ikepolicy_id,
      local_ep_group_id: row.local_ep_group_id,
    },
    { vpnservice: { router_id: row.router_id }, peer_ep_group: { name: 'other', endpoints: ['10.78.0.0/16'] } },
  )
  expect(second).toMatchObject({ vpnservice_id: row.vpnservice_id, ikepolicy_id: row.ikepolicy_id })
  expect(counts()).toEqual([1, 1, 2, 3, 2])
})

test('creates only one service for two connections that are created simultaneously on a router', async () => {
  const draft = await fixture.draft()
  const other = await fixture.draft(
    { peer_address: '198.51.100.10' },
    {
      vpnservice: draft.vpnservice,
      local_ep_group: draft.local_ep_group,
      peer_ep_group: { name: 'other', endpoints: ['10.78.0.0/16'] },
    },
  )
  await Promise.all([draft, other].map((one) => connections().create(fixture.member, one)))
  expect(counts()).toEqual([1, 2, 2, 4, 2])
})

test('sends the key to the cloud, and never stores, logs or returns it', async () => {
  const row = await fixture.connection()
  const told = fixture.vpnaas.rows['ipsec-site-connections'].get(row.id)!
  expect(told['psk']).toBe(secret)
  await connections().update(fixture.member, row.id, { ipsec_site_connection: { psk: 'another key of both ends' } })
  expect(told['psk']).toBe('another key of both ends')
  await fixture.readAll(connectionReader)
  const reads = calls('GET').filter(({ path }) => path.startsWith('/vpn/ipsec-site-connections'))
  expect(reads.length).toBeGreaterThan(2)
  for (const { query } of reads) {
    expect(query.getAll('fields')).toContain('status')
    expect(query.getAll('fields')).not.toContain('psk')
  }
  refuse(
    'ipsec-site-connections',
    400,
    'HTTPBadRequest',
    `Invalid input for psk. Reason: psk: '${secret}' is too weak.`,
  )
  const refused = await refusal(connections().create(fixture.member, await fixture.draft()))
  expect(refused).toMatchObject({ fields: { 'ipsec_site_connection.psk': [expect.any(String)] } })
  const everything = JSON.stringify([
    ...fixture.index.values(),
    ...fixture.begun,
    ...fixture.logged,
    ...fixture.intents.open.values(),
    refused,
    refused.message,
  ])
  expect(everything).not.toMatch(/key that both ends know|another key of both ends/)
})

test.each([
  ['vpnservices', 'vpnservice.router_id'],
  ['ikepolicies', 'ikepolicy.name'],
  ['ipsecpolicies', 'ipsecpolicy.name'],
  ['endpoint-groups', 'local_ep_group.name'],
  ['ipsec-site-connections', 'ipsec_site_connection.name'],
] as const)('leaves nothing behind when the quota of %s is exceeded', async (list, field) => {
  const draft = await fixture.draft()
  const one = { 'endpoint-groups': 'endpoint_group', 'ipsec-site-connections': 'ipsec_site_connection' } as Record<
    string,
    string
  >
  fixture.vpnaas.quotas.set(one[list] ?? list.replace(/ies$/, 'y').replace(/s$/, ''), 0)
  expect(await refusal(connections().create(fixture.member, draft))).toMatchObject({
    code: 'quota_exceeded',
    fields: { [field]: [expect.any(String)] },
  })
  expect(counts()).toEqual([0, 0, 0, 0, 0])
  expect([fixture.begun.length, fixture.intents.open.size]).toEqual([0, 0])
})

test('assigns errors to the fields at fault, and leaves nothing behind', async () => {
  const cases: [VpnList, number, string, string, string, string][] = [
    [
      'ikepolicies',
      400,
      'HTTPBadRequest',
      "Invalid input for pfs. Reason: 'group14' is not in ['group2'].",
      'validation',
      'ikepolicy.pfs',
    ],
    [
      'ipsecpolicies',
      400,
      'IpsecValidationFailure',
      "IPSec does not support IPsec Policy attribute auth_algorithm with value 'sha256'",
      'validation',
      'ipsecpolicy.auth_algorithm',
    ],
    [
      'vpnservices',
      400,
      'RouterIsNotExternal',
      'Router r has no external network gateway set',
      'router_no_gateway',
      'vpnservice.router_id',
    ],
    ['vpnservices', 404, 'RouterNotFound', 'Router r could not be found', 'validation', 'vpnservice.router_id'],
    [
      'endpoint-groups',
      400,
      'NonExistingSubnetInEndpointGroup',
      'Subnet s in endpoint group does not exist',
      'validation',
      'local_ep_group.endpoints',
    ],
    [
      'ipsec-site-connections',
      400,
      'MixedIPVersionsForIPSecEndpoints',
      'Endpoints in group g do not have the same IP version',
      'validation',
      'ipsec_site_connection.local_ep_group_id',
    ],
    [
      'ipsec-site-connections',
      400,
      'ExternalNetworkHasNoSubnet',
      "Router's r external network has no IPv6 subnet",
      'validation',
      'ipsec_site_connection.peer_address',
    ],
    [
      'ipsec-site-connections',
      404,
      'IKEPolicyNotFound',
      'IKEPolicy i could not be found',
      'validation',
      'ipsec_site_connection.ikepolicy_id',
    ],
    [
      'ipsec-site-connections',
      403,
      'PolicyNotAuthorized',
      'rule:create_ipsec_site_connection is disallowed by policy',
      'forbidden',
      '',
    ],
  ]
  for (const [list, status, type, message, code, field] of cases) {
    const draft = await fixture.draft()
    refuse(list, status, type, message)
    expect(await refusal(connections().create(fixture.member, draft)), type).toMatchObject({
      code,
      fields: field === '' ? {} : { [field]: [message] },
    })
    expect(counts(), type).toEqual([0, 0, 0, 0, 0])
    // starts with a new cloud
    await fixture.close()
    fixture = await startVpnFixture()
  }
  const unresolved = await fixture.draft({ peer_address: 'vpn.example.invalid' })
  expect(await refusal(connections().create(fixture.member, unresolved))).toMatchObject({
    fields: { 'ipsec_site_connection.peer_address': [expect.any(String)] },
  })
  expect(counts()).toEqual([0, 0, 0, 0, 0])
})

test('resolves a connection with an unknown outcome: tracks it if it exists, otherwise deletes its parts', async () => {
  const post = '/vpn/ipsec-site-connections'
  fixture.cloud.on('network', 'POST', post, ({ body, token }) => {
    const draft = (body as Record<string, object>)['ipsec_site_connection']!
    fixture.vpnaas.add('ipsec-site-connections', { project_id: token!.project!.id, status: 'DOWN', ...draft })
    return neutronRefusal(504, 'GatewayTimeout', 'no answer')
  })
  expect(await refusal(connections().create(fixture.member, await fixture.draft()))).toMatchObject({
    code: 'engine_unavailable',
  })
  await fixture.runIntent()
  expect(fixture.begun).toMatchObject([{ name: 'compute.ipsec_site_connection.create', args: { until: 'settled' } }])
  await fixture.runTask()
  const [made] = [...fixture.vpnaas.rows['ipsec-site-connections'].keys()]
  expect(fixture.indexed('ipsec_site_connection', made!)).toMatchObject({ name: 'branch', status: 'DOWN' })
  expect(counts()).toEqual([1, 1, 1, 2, 1])

  fixture.cloud.on('network', 'POST', post, () => neutronRefusal(503, 'ServiceUnavailable', 'overloaded'))
  const draft = await fixture.draft()
  expect(await refusal(connections().create(fixture.member, draft))).toMatchObject({ code: 'engine_unavailable' })
  expect(counts()).toEqual([2, 2, 2, 4, 1])
  await fixture.runIntent()
  expect(counts()).toEqual([1, 1, 1, 2, 1])
})

test('deletes the parts of a refused connection later if they cannot be deleted immediately', async () => {
  const draft = await fixture.draft()
  refuse('ipsec-site-connections', 403, 'PolicyNotAuthorized', 'it is disallowed by policy')
  let isDown = true
  const { rows } = fixture.vpnaas
  fixture.cloud.on('network', 'DELETE', '/vpn/ipsecpolicies/:id', ({ params }) => {
    if (isDown) return neutronRefusal(503, 'ServiceUnavailable', 'overloaded')
    rows.ipsecpolicies.delete(params['id']!)
    return { status: 204 }
  })
  expect(await refusal(connections().create(fixture.member, draft))).toMatchObject({ code: 'engine_unavailable' })
  expect(counts()).toEqual([1, 1, 1, 0, 0])
  isDown = false
  await fixture.runIntent()
  expect(counts()).toEqual([0, 0, 0, 0, 0])
})

test('reports an invalid connection on the field at fault before calling the cloud', async () => {
  const there = await fixture.connection()
  const before = counts()
  const bare = await fixture.make('routers', { name: 'bare' })
  const theirs = await fixture.make('routers', { name: 'theirs', project_id: 'p-other' })
  const router_id = there.router_id
  const at = (said: object, more: object = {}) => fixture.draft(said, { vpnservice: { router_id }, ...more })
  const local = {
    name: 'local',
    endpoints: fixture.indexed<VpnEndpointGroup>('vpn_endpoint_group', there.local_ep_group_id)!.endpoints,
  }
  const peer = (...endpoints: string[]) => ({ name: 'peer', endpoints })
  const cases: [Promise<Parameters<ReturnType<typeof connections>['create']>[1]>, string, string][] = [
    [fixture.draft({ split_selector: true }), 'unsupported', 'ipsec_site_connection.split_selector'],
    [
      fixture.draft({}, { vpnservice: { router_id: bare.id }, local_ep_group: local }),
      'router_no_gateway',
      'vpnservice.router_id',
    ],
    [
      fixture.draft({}, { vpnservice: { router_id: theirs.id }, local_ep_group: local }),
      'validation',
      'vpnservice.router_id',
    ],
    [at({ ikepolicy_id: 'none' }, { local_ep_group: local }), 'validation', 'ipsec_site_connection.ikepolicy_id'],
    [at({}, { local_ep_group: { name: 'local', endpoints: ['none'] } }), 'validation', 'local_ep_group.endpoints.0'],
    [at({ local_ep_group_id: there.peer_ep_group_id }), 'validation', 'ipsec_site_connection.local_ep_group_id'],
    [
      at({}, { local_ep_group: local, peer_ep_group: peer('10.0.1.128/25') }),
      'subnet_overlap',
      'peer_ep_group.endpoints.0',
    ],
    [
      at({}, { local_ep_group: local, peer_ep_group: peer('10.77.1.0/24') }),
      'subnet_overlap',
      'peer_ep_group.endpoints',
    ],
    [
      at(
        {},
        {
          local_ep_group: local,
          peer_ep_group: peer('10.80.0.0/24', '10.81.0.0/24'),
          ikepolicy: { name: 'old', ike_version: 'v1' },
        },
      ),
      'ikev1_single_subnet',
      'peer_ep_group.endpoints',
    ],
    [
      at({ peer_address: '203.0.113.1' }, { local_ep_group: local, peer_ep_group: peer('10.80.0.0/24') }),
      'validation',
      'ipsec_site_connection.peer_address',
    ],
    [
      at({ peer_address: '2001:db8::9' }, { local_ep_group: local, peer_ep_group: peer('10.80.0.0/24') }),
      'validation',
      'ipsec_site_connection.peer_address',
    ],
    [
      at({ description: 'x'.repeat(255) }, { local_ep_group: local, peer_ep_group: peer('10.80.0.0/24') }),
      'validation',
      'ipsec_site_connection.description',
    ],
  ]
  for (const [draft, code, field] of cases)
    expect(await refusal(connections().create(fixture.member, await draft)), field).toMatchObject({
      code,
      fields: { [field]: [expect.any(String)] },
    })
  expect(counts()).toEqual(before)
})
