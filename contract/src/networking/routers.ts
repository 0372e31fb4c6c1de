import { says } from '../core/said'
import * as z from 'zod'
import { crud } from '../core/crud'
import { endpoints, read, update } from '../core/endpoint'
import { someId } from '../core/example'
import { kind } from '../core/kind'
import { Id, ResourceName, Time } from '../core/names'
import { Cidr, IpAddress } from './address-fields'
import { NetworkStatus } from './networks'

/** An interface of a router: in a network of its project or, with `is_external`, in its external network. */
export const RouterInterface = z.object({
  port_id: z.string(),
  network_id: z.string(),
  network_name: z.string(),
  mac_address: z.string().nullable(),
  fixed_ips: z.array(z.object({ subnet_id: z.string(), ip_address: z.string() })),
  status: z.string(),
  is_external: z.boolean(),
})
export type RouterInterface = z.infer<typeof RouterInterface>

export const RouterRoute = z.object({ destination: z.string(), nexthop: z.string() })
export type RouterRoute = z.infer<typeof RouterRoute>

/** A router (S2§3). */
export const Router = z.object({
  id: z.string(),
  name: z.string(),
  status: NetworkStatus,
  fault: z.string().nullable().optional(),
  external_gateway_info: z
    .object({
      network_id: z.string(),
      network_name: z.string(),
      external_fixed_ips: z.array(z.object({ subnet_id: z.string(), ip_address: z.string() })),
      enable_snat: z.boolean(),
    })
    .nullable(),
  routes: z.array(RouterRoute),
  /** Interfaces in project networks. */
  interfaces_info: z.array(RouterInterface),
  external_interface: RouterInterface.nullable(),
  project_id: z.string(),
  domain_id: z.string(),
  created_at: Time,
  updated_at: Time,
})
export type Router = z.infer<typeof Router>

export const GatewayDraft = z.strictObject({
  network_id: Id,
  enable_snat: z.boolean().default(true),
  /** Requests specific addresses; operators only. */
  external_fixed_ips: z
    .array(z.strictObject({ ip_address: IpAddress, subnet_id: Id.optional() }))
    .max(2)
    .optional(),
})
/** `ip_address` defaults to the subnet's gateway address if it is free, otherwise to any free address. */
export const InterfaceDraft = z
  .strictObject({ network_id: Id, ip_address: IpAddress.optional() })
  .meta({ examples: [{ network_id: someId('network') }] })
export type InterfaceDraft = z.infer<typeof InterfaceDraft>

export const MAX_ROUTER_INTERFACES = 50
export const MAX_ROUTES = 100
const Routes = z
  .array(z.strictObject({ destination: Cidr, nexthop: IpAddress }))
  .max(MAX_ROUTES, says('networking.too_many_routes', { most: MAX_ROUTES }))

export const RouterDraft = z
  .strictObject({
    name: ResourceName,
    external_gateway_info: GatewayDraft.nullable().default(null),
    internal_interfaces: z
      .array(InterfaceDraft)
      .max(MAX_ROUTER_INTERFACES, says('networking.too_many_interfaces', { most: MAX_ROUTER_INTERFACES }))
      .default([]),
  })
  .meta({ examples: [{ name: 'edge' }, { name: 'inner', internal_interfaces: [{ network_id: someId('network') }] }] })
export type RouterDraft = z.infer<typeof RouterDraft>

/** Replaces the whole list of routes. */
export const RouterChange = z
  .strictObject({ name: ResourceName, external_gateway_info: GatewayDraft.nullable(), routes: Routes })
  .partial()
  .meta({ examples: [{ name: 'renamed' }] })
export type RouterChange = z.infer<typeof RouterChange>

export const RouterInterfaces = z.object({
  external_interface: RouterInterface.nullable(),
  internal_interfaces: z.array(RouterInterface),
})
export type RouterInterfaces = z.infer<typeof RouterInterfaces>

export const routerKind = kind({
  name: 'router',
  entity: Router,
  visibility: 'project',
  status: 'status',
  filters: [
    'id',
    'name',
    'status',
    { name: 'external_network_id', path: 'derived.external_network_id', type: 'id' },
    { name: 'network_id', path: 'derived.network_ids', type: 'tags' },
    'project_id',
    'domain_id',
  ],
  sortKeys: ['name', 'created_at', 'updated_at', 'status'],
  derive: {
    version: 1,
    from: ({ external_gateway_info, interfaces_info }) => ({
      external_network_id: external_gateway_info?.network_id ?? null,
      network_ids: interfaces_info.map(({ network_id }) => network_id),
    }),
  },
  permissions: { collection: 'compute_routers', item: 'compute_routers_router' },
})

const path = '/api/v2/compute/routers'
const usual = crud(routerKind, {
  path,
  called: ['a router', 'routers'],
  draft: RouterDraft,
  change: RouterChange,
  delete: true,
  accepted: ['delete'],
})
const interfaceCall = (name: 'add_interface' | 'remove_interface', summary: string) =>
  ({
    verb: 'PUT',
    path: `${path}/:id/${name}` as const,
    needs: update('compute_routers_router'),
    summary,
    reply: RouterInterfaces,
  }) as const

export const routers = endpoints({
  ...usual,
  put: { ...usual.update, verb: 'PUT' },
  delete: {
    ...usual.delete,
    summary: 'Delete a router. `interfaces=remove` first disconnects its networks.',
    query: z.looseObject({ interfaces: z.literal('remove').optional() }),
    // command-line clients treat a body as a failure
    reply: z.void(),
  },
  interfaces: {
    verb: 'GET',
    path: `${path}/:id/interfaces`,
    needs: read('compute_routers_router'),
    summary: 'List the interfaces of a router',
    reply: RouterInterfaces,
  },
  addInterface: { ...interfaceCall('add_interface', 'Connect a network to a router'), body: InterfaceDraft },
  removeInterface: {
    ...interfaceCall('remove_interface', 'Disconnect a network from a router'),
    body: z.strictObject({ network_id: Id }).meta({ examples: [{ network_id: someId('network') }] }),
  },
})
