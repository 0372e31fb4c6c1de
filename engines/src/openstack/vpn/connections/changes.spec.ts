import { IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { refusal } from '../../../conformance/cloud'
import type { Entity } from '../../../ports/records'
import type { KindReader } from '../../kind-reader'
import { neutronRefusal } from '../../testing/fake-cloud/refusals'
import { secret, startVpnFixture, type VpnFixture } from '../../testing/vpn-fixture'
import { endpointGroupReader } from '../endpoint-groups'
import { ikePolicyReader, ipsecPolicyReader } from '../policies'
import { vpnServiceReader } from '../services'
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

test('changes a connection, and deletes an endpoint group that it no longer uses', async () => {
  const row = await fixture.connection()
  const changed = await connections().update(fixture.member, row.id, {
    ipsec_site_connection: {
      name: 'renamed',
      description: 'new',
      peer_address: '198.51.100.20',
      dpd: { timeout: 90 },
      local_id: 'here.example',
    },
    peer_ep_group: { name: 'more', type: 'cidr', description: '', endpoints: ['10.77.0.0/16', '10.99.0.0/24'] },
  })
  expect(changed).toMatchObject({
    ...{ name: 'renamed', description: 'new', peer_address: '198.51.100.20', peer_id: '198.51.100.20' },
    ...{ local_id: 'here.example', dpd: { action: 'hold', interval: 30, timeout: 90 } },
    remote_subnets: ['10.77.0.0/16', '10.99.0.0/24'],
  })
  expect(changed.peer_ep_group_id).not.toBe(row.peer_ep_group_id)
  expect(counts()).toEqual([1, 1, 1, 2, 1])
  expect(fixture.indexed('vpn_endpoint_group', row.peer_ep_group_id)).toBeUndefined()
  const cases: [object, string][] = [
    [{ ipsec_site_connection: { dpd: { timeout: 5 } } }, 'ipsec_site_connection.dpd.timeout'],
    [{ ipsec_site_connection: { split_selector: true } }, 'ipsec_site_connection.split_selector'],
    [{ ipsec_site_connection: { peer_address: '203.0.113.1' } }, 'ipsec_site_connection.peer_address'],
    [
      { peer_ep_group: { name: 'else', type: 'cidr', description: '', endpoints: ['10.0.1.0/24'] } },
      'peer_ep_group.endpoints.0',
    ],
  ]
  for (const [said, field] of cases)
    expect(await refusal(connections().update(fixture.member, row.id, said))).toMatchObject({
      fields: { [field]: [expect.any(String)] },
    })
  fixture.cloud.on('network', 'PUT', '/vpn/ipsec-site-connections/:id', () =>
    neutronRefusal(403, 'PolicyNotAuthorized', 'no'),
  )
  const group = { name: 'never', type: 'cidr' as const, description: '', endpoints: ['10.66.0.0/16'] }
  expect(await refusal(connections().update(fixture.member, row.id, { peer_ep_group: group }))).toMatchObject({
    code: 'forbidden',
  })
  expect(counts()).toEqual([1, 1, 1, 2, 1])
})

test('deletes parts with the last connection that uses them, except those created separately', async () => {
  const own = await fixture.vpn.ikePolicies.create(fixture.member, {
    ...{ name: 'own', description: 'kept', encryption_algorithm: 'aes-256', auth_algorithm: 'sha256', pfs: 'group14' },
    ...{ ike_version: 'v2', lifetime: { units: 'seconds', value: 3600 } },
  })
  const first = await fixture.connection({ ikepolicy_id: own.id })
  const second = await fixture.connection(
    {
      name: 'second',
      peer_address: '198.51.100.10',
      ikepolicy_id: own.id,
      ipsecpolicy_id: first.ipsecpolicy_id,
      local_ep_group_id: first.local_ep_group_id,
    },
    { vpnservice: { router_id: first.router_id }, peer_ep_group: { name: 'second', endpoints: ['10.78.0.0/16'] } },
  )
  expect(await refusal(connections().delete(fixture.stranger, first.id))).toMatchObject({ code: 'not_found' })
  await connections().delete(fixture.member, first.id)
  await fixture.runTask()
  expect(counts()).toEqual([1, 1, 1, 2, 1])
  expect(fixture.indexed('vpn_endpoint_group', first.peer_ep_group_id)).toBeUndefined()
  await connections().delete(fixture.member, second.id)
  await fixture.runTask()
  expect(counts()).toEqual([0, 1, 0, 0, 0])
  for (const [kind, id] of [
    ['vpn_service', second.vpnservice_id],
    ['ipsec_policy', second.ipsecpolicy_id],
    ['vpn_endpoint_group', second.local_ep_group_id],
  ])
    expect(fixture.indexed(kind!, id!)).toBeUndefined()
})

test('refuses to delete or change parts in use, and names the connections that use them', async () => {
  const row = await fixture.connection()
  const used_by = [{ kind: 'ipsec_site_connection', id: row.id, name: 'branch' }]
  const { ikePolicies, ipsecPolicies, endpointGroups } = fixture.vpn
  for (const [call, code] of [
    [() => ikePolicies.delete(fixture.member, row.ikepolicy_id), 'policy_in_use'],
    [() => ipsecPolicies.delete(fixture.member, row.ipsecpolicy_id), 'policy_in_use'],
    [() => ipsecPolicies.update(fixture.member, row.ipsecpolicy_id, { name: 'other' }), 'policy_in_use'],
    [() => endpointGroups.delete(fixture.member, row.peer_ep_group_id), 'endpoint_group_in_use'],
  ] as const)
    expect(await refusal(call())).toMatchObject({
      ...{ code, data: { used_by } },
      message: 'This object is in use by VPN connections: branch',
    })
  const renamed = await endpointGroups.update(fixture.member, row.peer_ep_group_id, {
    name: 'renamed',
    description: 'said',
  })
  expect(renamed).toMatchObject({ name: 'renamed', description: 'said' })
  // the renamed group is still deleted with the connection
  await connections().delete(fixture.member, row.id)
  await fixture.runTask()
  expect(counts()).toEqual([0, 0, 0, 0, 0])
})

test('maps statuses, and reports a connection as stuck and deletable after ten minutes [ST-078]', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-21T20:00:00Z') })
  fixture.vpnaas.settleMs = Infinity
  const { id } = await connections().create(fixture.member, await fixture.draft())
  expect(await fixture.read(id)).toMatchObject({
    status: 'PENDING_CREATE',
    reason: null,
    status_changed_at: '2026-11-21T20:00:00.000Z',
  })
  expect(
    await refusal(connections().update(fixture.member, id, { ipsec_site_connection: { name: 'x' } })),
  ).toMatchObject({
    code: 'vpn_pending',
    message: expect.stringContaining('Try again in a moment'),
  })
  vi.setSystemTime(new Date('2026-11-21T20:11:00Z'))
  const words = /has not finished this change \(PENDING_CREATE\).*2026-11-21 20:00 UTC.*can delete the connection/
  expect((await fixture.read(id)).reason).toMatch(words)
  await expect(fixture.runTask()).rejects.toThrow(words)
  expect(
    (await refusal(connections().update(fixture.member, id, { ipsec_site_connection: { name: 'x' } }))).message,
  ).toMatch(words)

  const wire = fixture.vpnaas.rows['ipsec-site-connections'].get(id)!
  wire['status'] = 'ACTIVE'
  expect(await fixture.read(id)).toMatchObject({
    status: 'ACTIVE',
    reason: null,
    status_changed_at: '2026-11-21T20:11:00.000Z',
  })
  vi.setSystemTime(new Date('2026-11-21T20:20:00Z'))
  expect(await fixture.read(id)).toMatchObject({ status_changed_at: '2026-11-21T20:11:00.000Z' })
  for (const [change, status, reason] of [
    [{ status: 'BUILD' }, 'BUILD', null],
    [{ status: 'PENDING_UPDATE' }, 'PENDING_UPDATE', null],
    [{ status: 'PENDING_DELETE' }, 'PENDING_DELETE', null],
    [{ status: 'DOWN' }, 'DOWN', null],
    [{ status: 'ERROR' }, 'ERROR', 'The cloud could not set up the connection and gives no reason'],
    [{ status: 'INACTIVE' }, 'ERROR', 'The cloud reports the status “INACTIVE” without a reason'],
    [{ status: 'DOWN', admin_state_up: false }, 'DOWN', 'It was disabled in the cloud'],
  ] as const) {
    Object.assign(wire, change)
    expect(await fixture.read(id)).toMatchObject({ status, reason })
  }
  Object.assign(wire, { status: 'PENDING_UPDATE', admin_state_up: true })
  await fixture.read(id)
  await connections().delete(fixture.member, id)
  await fixture.runTask()
  expect(counts()).toEqual([0, 0, 0, 0, 0])
})

test('reports actions as unsupported only to callers who may see the connection', async () => {
  const { id } = await fixture.connection()
  for (const [call, words] of [
    ['restart', /cannot restart a tunnel/],
    ['diagnosis', /does not report why/],
    ['stats', /does not provide traffic counters/],
  ] as const) {
    expect(await refusal(connections()[call](fixture.member, id))).toMatchObject({
      code: 'unsupported',
      message: expect.stringMatching(words),
    })
    expect(await refusal(connections()[call](fixture.stranger, id))).toMatchObject({ code: 'not_found' })
  }
  expect(fixture.service.capabilities).toMatchObject({
    connections: true,
    restart: false,
    diagnosis: false,
    stats: false,
    split_selector: false,
  })
})

test('shows connections created by other clients as far as the contract allows', async () => {
  const { id: router_id, subnet } = await fixture.edge(9)
  const service = fixture.vpnaas.add('vpnservices', {
    router_id,
    subnet_id: subnet,
    external_v4_ip: '203.0.113.9',
    status: 'ACTIVE',
    name: 'old',
  })
  const ike = fixture.vpnaas.add('ikepolicies', { name: 'aggressive', phase1_negotiation_mode: 'aggressive' })
  const ipsec = fixture.vpnaas.add('ipsecpolicies', { name: 'ah', transform_protocol: 'ah' })
  fixture.vpnaas.add('ikepolicies', { name: 'newer', encryption_algorithm: 'aes-128-gcm-16' })
  fixture.vpnaas.add('endpoint-groups', { type: 'vlan', endpoints: ['100'] })
  const { id } = fixture.vpnaas.add('ipsec-site-connections', {
    ...{ name: 'old', vpnservice_id: service.id, ikepolicy_id: ike.id, ipsecpolicy_id: ipsec.id, status: 'ACTIVE' },
    ...{ peer_address: '198.51.100.9', peer_id: '198.51.100.9', peer_cidrs: ['10.60.0.0/16'], psk: secret },
    dpd: { action: 'restart-by-peer', interval: 30, timeout: 120 },
  })
  expect(
    await Promise.all(
      [ikePolicyReader, ipsecPolicyReader, endpointGroupReader].map((one) =>
        fixture.readAll(one as KindReader<Entity>),
      ),
    ),
  ).toEqual([[], [], []])
  expect(await fixture.readAll(vpnServiceReader)).toMatchObject([{ name: 'old', router_name: 'edge-9' }])
  const [row] = await fixture.readAll(connectionReader)
  expect(IpsecSiteConnection.parse(row)).toEqual(row)
  expect(row).toMatchObject({
    ...{
      id,
      ike_version: 'v1',
      local_subnets: ['10.0.9.0/24'],
      remote_subnets: ['10.60.0.0/16'],
      status_changed_at: null,
    },
    ...{ local_ep_group_id: '', peer_ep_group_id: '', dpd: { action: 'restart' } },
  })
  await fixture.read(id)
  const group = { name: 'else', type: 'cidr' as const, description: '', endpoints: ['10.66.0.0/16'] }
  expect(await refusal(connections().update(fixture.member, id, { peer_ep_group: group }))).toMatchObject({
    code: 'unsupported',
    fields: { peer_ep_group: [expect.any(String)] },
  })
  const local_ep_group = { name: 'local', endpoints: [subnet] }
  expect(
    await refusal(
      connections().create(fixture.member, await fixture.draft({}, { vpnservice: { router_id }, local_ep_group })),
    ),
  ).toMatchObject({
    code: 'conflict',
    fields: { 'vpnservice.router_id': [expect.stringContaining('old')] },
  })
  await connections().delete(fixture.member, id)
  await fixture.runTask()
  expect(counts()).toEqual([1, 2, 1, 1, 0])
})
