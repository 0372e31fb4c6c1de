import { ConnectionChange, ConnectionDraft, IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import type { VpnEndpointGroup } from '@mainstay/contract/vpn/endpoint-groups'
import { isPending } from '@mainstay/contract/vpn/connection-status'
import type { IkePolicy } from '@mainstay/contract/vpn/policies'
import { VpnService } from '@mainstay/contract/vpn/vpn-services'
import { describe, expect, test } from 'vitest'
import type * as z from 'zod'
import { gone, refusal, suiteOf, until, type StartCloud } from './cloud'
import { networkingFixture } from './networking-fixture'

type DraftInput = z.input<typeof ConnectionDraft>
type Said = Partial<DraftInput['ipsec_site_connection']>

const psk = 'what both ends of it know'

/** Conformance tests for VPN connections. An engine that does not support them must refuse them with a reason. */
export function describeVpn(start: StartCloud): void {
  describe(suiteOf('VPN connections'), () => {
    const fixture = networkingFixture(start)
    const vpn = () => fixture.cloud.vpn!
    const isThere = () => fixture.cloud.vpn !== undefined && vpn().unavailable() === null
    const kind = 'ipsec_site_connection'

    /** Creates a router with an external gateway, and a subnet connected to it. */
    const edge = async () => {
      const [net, outside] = [await fixture.network(), await fixture.external()]
      const router = await fixture.router({
        external_gateway_info: { network_id: outside.id },
        internal_interfaces: [{ network_id: net.id }],
      })
      return { router, subnet: net.subnets[0]! }
    }
    type Edge = Awaited<ReturnType<typeof edge>>
    const draftFor = ({ router, subnet }: Edge, said: Said = {}, more: Partial<DraftInput> = {}) =>
      ConnectionDraft.parse({
        vpnservice: { router_id: router.id },
        ipsec_site_connection: { name: 'branch', peer_address: '198.51.100.9', psk, ...said },
        ...(said?.ikepolicy_id === undefined && { ikepolicy: { name: 'branch-ike' } }),
        ...(said?.ipsecpolicy_id === undefined && { ipsecpolicy: { name: 'branch-ipsec' } }),
        ...(said?.local_ep_group_id === undefined && { local_ep_group: { name: 'ours', endpoints: [subnet.id] } }),
        ...(said?.peer_ep_group_id === undefined && {
          peer_ep_group: { name: 'theirs', endpoints: ['10.177.0.0/16'] },
        }),
        ...more,
      })
    const create = async (at: Edge, said?: Said, more?: Partial<DraftInput>) => {
      const { cloud } = fixture
      const made = await vpn().ipsecSiteConnections.create(cloud.member, draftFor(at, said, more))
      fixture.cleanup(async () => {
        await vpn().ipsecSiteConnections.delete(cloud.member, made.id)
        await gone(cloud, 'vpn_service', made.vpnservice_id)
      })
      return made
    }
    const settled = (id: string) =>
      until(`VPN connection ${id} to be at rest`, async () => {
        const row = await fixture.cloud.row<IpsecSiteConnection>(kind, id)
        if (row?.status === 'ERROR') throw new Error(`the connection is in error: ${row.reason}`)
        return row && !isPending(row.status) ? row : null
      })

    test('creates a connection with its policies, groups and service, and deletes them with it', async () => {
      if (!fixture.cloud.vpn) return
      const { cloud } = fixture
      const at = await edge()
      const { ipsecSiteConnections } = vpn()
      if (!isThere()) {
        expect(await refusal(ipsecSiteConnections.create(cloud.member, draftFor(at)))).toMatchObject({
          message: vpn().unavailable(),
        })
        return
      }
      const made = await create(at, { description: 'to the branch' })
      expect(IpsecSiteConnection.parse(made)).toEqual(made)
      expect(made).toMatchObject({
        ...{ name: 'branch', description: 'to the branch', peer_address: '198.51.100.9', peer_id: '198.51.100.9' },
        ...{ local_id: null, ike_version: 'v2', initiator: 'bi-directional' },
        ...{
          dpd: { action: 'hold', interval: 30, timeout: 120 },
          router_id: at.router.id,
          router_name: at.router.name,
        },
        local_address: at.router.external_gateway_info!.external_fixed_ips[0]!.ip_address,
        ...{ local_subnets: [at.subnet.cidr], remote_subnets: ['10.177.0.0/16'] },
        ...{ project_id: cloud.member.project_id, domain_id: cloud.member.domain_id },
      })
      // no peer responds
      expect(await settled(made.id)).toMatchObject({ status: 'DOWN' })
      const service = await cloud.row<VpnService>('vpn_service', made.vpnservice_id)
      expect(VpnService.parse(service)).toEqual(service)
      expect(service).toMatchObject({ router_id: at.router.id, external_v4_ip: made.local_address })
      const policy = await cloud.row<IkePolicy>('ike_policy', made.ikepolicy_id)
      expect(policy).toMatchObject({ name: 'branch-ike', description: '', ike_version: 'v2', pfs: 'group14' })
      expect(await cloud.row<VpnEndpointGroup>('vpn_endpoint_group', made.local_ep_group_id)).toMatchObject({
        ...{ name: 'ours', type: 'subnet', endpoints: [at.subnet.id] },
      })
      for (const call of [
        () => ipsecSiteConnections.update(cloud.stranger, made.id, { ipsec_site_connection: { name: 'mine' } }),
        () => ipsecSiteConnections.delete(cloud.stranger, made.id),
        () => ipsecSiteConnections.restart(cloud.stranger, made.id),
        () => ipsecSiteConnections.diagnosis(cloud.stranger, made.id),
        () => ipsecSiteConnections.stats(cloud.stranger, made.id),
        () => vpn().ikePolicies.delete(cloud.stranger, made.ikepolicy_id),
      ])
        expect(await refusal(call())).toMatchObject({ code: 'not_found' })
      const used_by = [{ kind, id: made.id, name: 'branch' }]
      expect(await refusal(vpn().ikePolicies.delete(cloud.member, made.ikepolicy_id))).toMatchObject({
        ...{ code: 'policy_in_use', data: { used_by } },
      })
      expect(await refusal(vpn().endpointGroups.delete(cloud.member, made.peer_ep_group_id))).toMatchObject({
        ...{ code: 'endpoint_group_in_use', data: { used_by } },
      })
      expect(
        await refusal(fixture.networking.routers.delete(cloud.member, at.router.id, { withInterfaces: true })),
      ).toMatchObject({ code: 'router_in_use', data: { used_by } })
      await ipsecSiteConnections.delete(cloud.member, made.id)
      await gone(cloud, kind, made.id)
      await gone(cloud, 'ike_policy', made.ikepolicy_id)
      await gone(cloud, 'ipsec_policy', made.ipsecpolicy_id)
      await gone(cloud, 'vpn_endpoint_group', made.local_ep_group_id)
      await gone(cloud, 'vpn_endpoint_group', made.peer_ep_group_id)
      await gone(cloud, 'vpn_service', made.vpnservice_id)
    })

    test('connections of a router share its service and policies, but can be changed independently', async () => {
      if (!isThere()) return
      const { cloud } = fixture
      const at = await edge()
      const { ipsecSiteConnections } = vpn()
      const first = await create(at)
      const { ikepolicy_id, ipsecpolicy_id, local_ep_group_id } = first
      const second = await create(
        at,
        { name: 'second', peer_address: '198.51.100.10', ikepolicy_id, ipsecpolicy_id, local_ep_group_id },
        { peer_ep_group: { name: 'others', endpoints: ['10.178.0.0/16'] } },
      )
      expect(second.vpnservice_id).toBe(first.vpnservice_id)
      await settled(second.id)
      const change = (said: object) =>
        ipsecSiteConnections.update(cloud.member, second.id, ConnectionChange.parse(said))
      const changed = await change({
        ipsec_site_connection: {
          ...{ name: 'renamed', description: 'moved', peer_address: '198.51.100.11', psk: 'another key of both ends' },
          dpd: { action: 'restart', timeout: 90 },
        },
        peer_ep_group: { name: 'more', endpoints: ['10.178.0.0/16', '10.179.0.0/16'] },
      })
      expect(changed).toMatchObject({
        ...{ name: 'renamed', description: 'moved', peer_address: '198.51.100.11', peer_id: '198.51.100.11' },
        ...{ dpd: { action: 'restart', interval: 30, timeout: 90 } },
        remote_subnets: ['10.178.0.0/16', '10.179.0.0/16'],
      })
      await gone(cloud, 'vpn_endpoint_group', second.peer_ep_group_id)
      await ipsecSiteConnections.delete(cloud.member, first.id)
      await gone(cloud, 'vpn_endpoint_group', first.peer_ep_group_id)
      expect(await cloud.row('ike_policy', ikepolicy_id)).toMatchObject({ name: 'branch-ike' })
      expect(await settled(second.id)).toMatchObject({ ikepolicy_id, ipsecpolicy_id, local_ep_group_id })
    })

    test('refuses invalid drafts with field errors, and leaves nothing behind', async () => {
      if (!isThere()) return
      const { cloud } = fixture
      const at = await edge()
      const there = await create(at)
      const bare = await fixture.router()
      const [local, remote] = [
        { name: 'ours', endpoints: [at.subnet.id] },
        { name: 'far', endpoints: ['10.180.0.0/16'] },
      ]
      const cases: [Said, Partial<DraftInput>, string][] = [
        [{}, { vpnservice: { router_id: 'no-such-router' } }, 'vpnservice.router_id'],
        [{}, { vpnservice: { router_id: bare.id } }, 'vpnservice.router_id'],
        [{ ikepolicy_id: 'no-such-policy' }, {}, 'ipsec_site_connection.ikepolicy_id'],
        [{ local_ep_group_id: there.peer_ep_group_id }, {}, 'ipsec_site_connection.local_ep_group_id'],
        [{}, { local_ep_group: { name: 'ours', endpoints: ['no-such-subnet'] } }, 'local_ep_group.endpoints.0'],
        [{}, { peer_ep_group: { name: 'same', endpoints: [at.subnet.cidr] } }, 'peer_ep_group.endpoints.0'],
        [{}, { peer_ep_group: { name: 'taken', endpoints: ['10.177.3.0/24'] } }, 'peer_ep_group.endpoints'],
        [{ peer_address: there.local_address! }, { peer_ep_group: remote }, 'ipsec_site_connection.peer_address'],
        [
          {},
          {
            ...{ ikepolicy: { name: 'older', ike_version: 'v1' }, local_ep_group: local },
            peer_ep_group: { name: 'two', endpoints: ['10.180.0.0/16', '10.181.0.0/16'] },
          },
          'peer_ep_group.endpoints',
        ],
      ]
      for (const [said, more, field] of cases)
        expect(
          await refusal(vpn().ipsecSiteConnections.create(cloud.member, draftFor(at, said, more))),
          field,
        ).toMatchObject({ fields: { [field]: [expect.any(String)] } })
      expect(await refusal(vpn().ipsecSiteConnections.delete(cloud.member, 'no-such-connection'))).toMatchObject({
        code: 'not_found',
      })
    })

    test('enforces the connection quota immediately', async () => {
      if (!isThere() || !vpn().quotaLimits.ofProjects.includes('ipsec_site_connection')) return
      const { member, operator } = fixture.cloud
      const read = async () => (await vpn().quotas(member, member.project_id)).ipsec_site_connection
      const { limit, used } = await read()
      const at = await edge()
      try {
        await vpn().quotaLimits.setOfProject(operator, member, { ipsec_site_connection: used })
        expect(await read()).toMatchObject({ limit: used, used })
        expect(await refusal(vpn().ipsecSiteConnections.create(member, draftFor(at)))).toMatchObject({
          ...{ code: 'quota_exceeded', data: { resource: 'ipsec_site_connection' } },
          fields: { 'ipsec_site_connection.name': [expect.any(String)] },
        })
      } finally {
        await vpn().quotaLimits.setOfProject(operator, member, { ipsec_site_connection: limit })
      }
    })
  })
}
