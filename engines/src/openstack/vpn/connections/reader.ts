import { dpdActions, ikeVersions, vpnModes, type DpdAction } from '@mainstay/contract/vpn/algorithms'
import { isPending } from '@mainstay/contract/vpn/connection-status'
import { connectionKind, type IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import { vpnServiceKind } from '@mainstay/contract/vpn/vpn-services'
import { versionOf } from '@mainstay/contract/networking/addresses'
import * as z from 'zod'
import type { Reading } from '../../kind-reader'
import { namesIn, type Names } from '../../networking/names'
import { beforeTimes, inChunks, pageSize, whole } from '../../networking/wire'
import { unlessGone } from '../../read-each'
import { restReader } from '../../rest-reader'
import { withoutMark } from '../marks'
import { oneOf } from '../policies'
import { changedAt, reasonOf, statusOf } from '../status'
import { fieldsOf, lists, rowsOf, type WireConnection, type WireGroup, type WireService } from '../wire'

const WireSubnet = z.object({ id: z.string(), cidr: z.string() })

interface Around {
  services: ReadonlyMap<string, WireService>
  groups: ReadonlyMap<string, WireGroup>
  /** IKE versions by policy ID. */
  versions: ReadonlyMap<string, string>
  /** CIDRs by subnet ID. */
  cidrs: ReadonlyMap<string, string>
  routers: Names
  /** Connections in the index. */
  known: ReadonlyMap<string, IpsecSiteConnection>
}

const byId = <Row extends { id: string }>(rows: readonly Row[]): ReadonlyMap<string, Row> =>
  new Map(rows.map((row) => [row.id, row]))

const none = new Map<string, never>()
const nothing: Around = { services: none, groups: none, versions: none, cidrs: none, routers: none, known: none }

/** Reads the objects related to one connection, or to all connections if null. */
async function around(reading: Reading, one: WireConnection | null, signal?: AbortSignal): Promise<Around> {
  const { caller, records } = reading
  const only = (ids: readonly (string | null | undefined)[]): Record<string, string[]> =>
    one ? { id: ids.filter((id) => typeof id === 'string') } : {}
  // the only request if the cloud does not have VPN
  const services = await unlessGone(rowsOf(caller, 'services', only([one?.vpnservice_id]), signal))
  if (services === null) return nothing
  const isLegacy = one !== null && !one.local_ep_group_id && !one.peer_ep_group_id
  const [groups, policies, known] = await Promise.all([
    isLegacy ? [] : rowsOf(caller, 'groups', only([one?.local_ep_group_id, one?.peer_ep_group_id]), signal),
    rowsOf(caller, 'ike', only([one?.ikepolicy_id]), signal),
    records?.transaction((tx) =>
      tx.find<IpsecSiteConnection & { [field: string]: unknown }>(connectionKind.name, one ? { id: one.id } : {}),
    ) ?? [],
  ])
  const subnets = [
    ...groups.flatMap(({ type, endpoints }) => (type === 'subnet' ? endpoints : [])),
    ...services.flatMap(({ subnet_id }) => (subnet_id ? [subnet_id] : [])),
  ]
  const [routers, ranges] = await Promise.all([
    namesIn(reading, 'routers', new Set(services.map(({ router_id }) => router_id)), signal),
    inChunks(subnets, (id) => {
      const query = { id, fields: ['id', 'cidr'], limit: pageSize }
      return whole(caller.pages('network', '/subnets', 'subnets', WireSubnet, { query, ...(signal && { signal }) }))
    }),
  ])
  return {
    ...{ services: byId(services), groups: byId(groups), known: byId(known), routers },
    versions: new Map(policies.map(({ id, ike_version }) => [id, ike_version])),
    cidrs: new Map(ranges.map(({ id, cidr }) => [id, cidr])),
  }
}

/**
 * Maps `restart-by-peer`, which only libreswan supports and which restarts all connections to the peer, to `restart`.
 */
const dpdActionOf = (text: string): DpdAction => oneOf(dpdActions, text) ?? 'restart'

async function connectionOf(wire: WireConnection, { domainOf }: Reading, found: Around): Promise<IpsecSiteConnection> {
  const { id, name, peer_address, peer_id, local_id, dpd, project_id } = wire
  const service = found.services.get(wire.vpnservice_id)
  const router_id = service?.router_id ?? ''
  const endpointsOf = (group: string | null | undefined) => found.groups.get(group ?? '')?.endpoints ?? []
  const subnets = [...endpointsOf(wire.local_ep_group_id), ...(service?.subnet_id ? [service.subnet_id] : [])]
  const local = versionOf(peer_address) === 6 ? service?.external_v6_ip : service?.external_v4_ip
  const now = Date.now()
  const status = statusOf(wire.status)
  const told = { status, status_changed_at: changedAt(status, found.known.get(id), now) }
  return {
    ...{ id, name: name || id, description: withoutMark(wire.description), ...told },
    reason: status === 'ACTIVE' ? null : reasonOf(told, wire, now),
    ...{ peer_address, peer_id, local_id: local_id || null },
    initiator: oneOf(vpnModes, wire.initiator) ?? 'bi-directional',
    ...{ dpd: { ...dpd, action: dpdActionOf(dpd.action) }, split_selector: false },
    ...{ ikepolicy_id: wire.ikepolicy_id, ipsecpolicy_id: wire.ipsecpolicy_id, vpnservice_id: wire.vpnservice_id },
    ...{ local_ep_group_id: wire.local_ep_group_id ?? '', peer_ep_group_id: wire.peer_ep_group_id ?? '' },
    ike_version: oneOf(ikeVersions, found.versions.get(wire.ikepolicy_id) ?? '') ?? 'v1',
    ...{ router_id, router_name: found.routers.get(router_id) ?? router_id, local_address: local || null },
    local_subnets: subnets.flatMap((subnet) => found.cidrs.get(subnet) ?? []),
    remote_subnets: [...endpointsOf(wire.peer_ep_group_id), ...wire.peer_cidrs],
    ...{ project_id, domain_id: await domainOf(project_id), created_at: beforeTimes, updated_at: beforeTimes },
  }
}

/** Connections in all projects. Their keys are not requested. There are no notifications about their status. */
export const connectionReader = restReader({
  ...{ ...lists.connections, fields: fieldsOf(lists.connections.item) },
  kind: connectionKind.name,
  service: 'network',
  query: { limit: pageSize },
  isOptional: true,
  isNeverAnnounced: true,
  around: {
    ofAll: (reading, signal) => around(reading, null, signal),
    ofOne: (reading, wire, signal) => around(reading, wire, signal),
  },
  row: connectionOf,
  isBusy: ({ status }: IpsecSiteConnection) => isPending(status),
  // an agent sets up a service with its first connection
  shownAs: ({ status }: IpsecSiteConnection) => status,
  shownBy: ({ vpnservice_id }: IpsecSiteConnection) => [{ kind: vpnServiceKind.name, id: vpnservice_id }],
})
