import { NetworkStatus } from '@mainstay/contract/networking/networks'
import type { Router, RouterInterface } from '@mainstay/contract/networking/routers'
import * as z from 'zod'
import type { Query } from '../../client/service-client'
import type { Reading } from '../../kind-reader'
import { restReader } from '../../rest-reader'
import { WireTime } from '../../wire-time'
import { namesIn, type Names } from '../names'
import { beforeTimes, FixedIp, pageSize, whole } from '../wire'

const Gateway = z.object({
  network_id: z.string(),
  enable_snat: z.boolean().default(true),
  external_fixed_ips: z.array(FixedIp).default([]),
})

/** A router in Neutron. */
export const WireRouter = z.object({
  id: z.string(),
  name: z.string().nullish(),
  status: z.string().nullish(),
  description: z.string().nullish(),
  external_gateway_info: Gateway.nullish(),
  routes: z.array(z.object({ destination: z.string(), nexthop: z.string() })).default([]),
  project_id: z.string(),
  created_at: WireTime.nullish(),
  updated_at: WireTime.nullish(),
})
export type WireRouter = z.output<typeof WireRouter>

/** `device_owner` of a router's interfaces. Ports with other owners implement high availability. */
const legOwners = [
  'network:router_interface',
  'network:router_interface_distributed',
  'network:ha_router_replicated_interface',
] as const
const gatewayOwner = 'network:router_gateway'

/** A router port. */
export const WireLeg = z.object({
  id: z.string(),
  device_id: z.string(),
  device_owner: z.string(),
  network_id: z.string(),
  mac_address: z.string().nullish(),
  fixed_ips: z.array(FixedIp).default([]),
  status: z.string().nullish(),
  created_at: z.string().nullish(),
})
export type WireLeg = z.output<typeof WireLeg>

/** Reads the ports of one router, or of all routers if null. */
export async function routerPorts({ caller }: Pick<Reading, 'caller'>, router: string | null, signal?: AbortSignal) {
  const query: Query = {
    device_owner: [...legOwners, gatewayOwner],
    ...(router !== null && { device_id: router }),
    fields: Object.keys(WireLeg.shape),
    limit: pageSize,
  }
  return whole(caller.pages('network', '/ports', 'ports', WireLeg, { query, ...(signal && { signal }) }))
}
export const isLeg = ({ device_owner }: WireLeg): boolean => legOwners.some((it) => it === device_owner)

interface Around {
  legs: ReadonlyMap<string, WireLeg[]>
  networks: Names
}

async function around(reading: Reading, router: WireRouter | null, signal?: AbortSignal): Promise<Around> {
  const legs = await routerPorts(reading, router?.id ?? null, signal)
  const gateway = router?.external_gateway_info?.network_id
  const wanted = [...legs.map(({ network_id }) => network_id), ...(gateway === undefined ? [] : [gateway])]
  const byRouter = new Map<string, WireLeg[]>()
  for (const leg of legs.toSorted((a, b) => (ageOf(a) < ageOf(b) ? -1 : 1)))
    byRouter.set(leg.device_id, [...(byRouter.get(leg.device_id) ?? []), leg])
  return { legs: byRouter, networks: await namesIn(reading, 'networks', router ? wanted : null, signal) }
}
/** Returns a key to sort interfaces by age. The ID makes the order stable. */
const ageOf = ({ created_at, id }: WireLeg) => `${created_at ?? ''} ${id}`

const interfaceOf = (leg: WireLeg, networks: Names): RouterInterface => ({
  port_id: leg.id,
  network_id: leg.network_id,
  network_name: networks.get(leg.network_id) ?? leg.network_id,
  mac_address: leg.mac_address?.toLowerCase() ?? null,
  fixed_ips: leg.fixed_ips,
  status: leg.status ?? 'DOWN',
  is_external: !isLeg(leg),
})

export function routerOf(wire: WireRouter, { legs, networks }: Around, domainId: string): Router {
  const own = legs.get(wire.id) ?? []
  const gateway = wire.external_gateway_info
  const external = own.find((leg) => !isLeg(leg))
  return {
    id: wire.id,
    name: wire.name || wire.id,
    status: NetworkStatus.safeParse(wire.status).data ?? 'DOWN',
    external_gateway_info: gateway
      ? { ...gateway, network_name: networks.get(gateway.network_id) ?? gateway.network_id }
      : null,
    routes: wire.routes.toSorted((a, b) => (a.destination < b.destination ? -1 : 1)),
    interfaces_info: own.filter(isLeg).map((leg) => interfaceOf(leg, networks)),
    external_interface: external ? interfaceOf(external, networks) : null,
    project_id: wire.project_id,
    domain_id: domainId,
    created_at: wire.created_at ?? beforeTimes,
    updated_at: wire.updated_at ?? wire.created_at ?? beforeTimes,
  }
}

/** Routers in all projects, with their interfaces. A full read lists all ports only once. */
export const routerReader = restReader({
  kind: 'router',
  service: 'network',
  path: '/routers',
  key: ['routers', 'router'],
  isOptional: true,
  item: WireRouter,
  query: { limit: pageSize },
  around: {
    ofAll: (reading, signal) => around(reading, null, signal),
    ofOne: (reading, wire, signal) => around(reading, wire, signal),
  },
  row: async (wire, { domainOf }, all) => routerOf(wire, all, await domainOf(wire.project_id)),
  isBusy: ({ status }) => status === 'BUILD' || status.startsWith('PENDING'),
  // ports include the name of their router
  shownBy: ({ interfaces_info, external_interface }) =>
    [...interfaces_info, ...(external_interface ? [external_interface] : [])].map(({ port_id }) => ({
      kind: 'port',
      id: port_id,
    })),
})
