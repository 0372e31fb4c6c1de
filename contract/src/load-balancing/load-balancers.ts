import { says } from '../core/said'
import * as z from 'zod'
import { crud } from '../core/crud'
import { create, endpoints, read, update } from '../core/endpoint'
import { someId } from '../core/example'
import { kind } from '../core/kind'
import { Description, Id, ResourceName, Time } from '../core/names'
import { IpAddress } from '../networking/address-fields'
import { NewPools } from './pools'

/** S2§4. DEPLOYMENT_FAILED: it was never made; recreating it tries again. */
export const loadBalancerStatuses = [
  'CREATING',
  'DEPLOYMENT_FAILED',
  'ACTIVE',
  'DISABLED',
  'CONFIGURING',
  'DELETING',
  'ERROR',
  // those of networks, routers and VPN, which a cloud may tell of a balancer too
  'DOWN',
  'BUILD',
  'PENDING_CREATE',
  'PENDING_UPDATE',
  'PENDING_DELETE',
] as const
export type LoadBalancerStatus = (typeof loadBalancerStatuses)[number]

/** S2§4: it is being made, or is going. */
export const isInProgress = (status: LoadBalancerStatus): boolean => status === 'CREATING' || status === 'DELETING'

/** S2§9. */
export const amphoraRoles = ['STANDALONE', 'MASTER', 'BACKUP'] as const
export const topologies = ['ACTIVE_STANDBY', 'SINGLE'] as const
export type Topology = (typeof topologies)[number]

/** What carries a balancer: one, or two of which one answers at a time. */
export const Amphora = z.object({
  id: z.string(),
  role: z.enum(amphoraRoles),
  /** It is the one that answers. */
  active: z.boolean(),
  /** The node or instance that it runs on. */
  compute_id: z.string().nullable(),
})

/** S2§3. */
export const LoadBalancer = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  status: z.enum(loadBalancerStatuses),
  /** What of it does not work. */
  fault: z.string().nullable().optional(),
  /** False: all of its ports are closed. */
  enabled: z.boolean(),
  network_id: z.string(),
  network_name: z.string(),
  ip_version: z.union([z.literal(4), z.literal(6)]),
  /** Where it is reached in its network. */
  address: z.string(),
  /** The port with this address: floating IPs lead to it. */
  port_id: z.string(),
  /** The address by which it is reached from outside. */
  floating_ip: z.string().nullable(),
  floating_ip_id: z.string().nullable(),
  ha_enabled: z.boolean(),
  flavor_id: z.string(),
  /** Who carries it, where there are several; see `providers` of the service. */
  provider: z.string().optional(),
  /** What of it was made elsewhere and has no form here, in words. It stays as it is. */
  foreign: z.array(z.string()).optional(),
  amphorae: z.array(Amphora),
  pools: z.array(z.object({ id: z.string(), name: z.string() })),
  /** Of all its pools. */
  members_count: z.number().int(),
  /** Of those that are enabled, how many are not unhealthy. */
  members_healthy: z.number().int(),
  /** Of those that are enabled, how many do not answer. The others are turned off. */
  members_unhealthy: z.number().int(),
  project_id: z.string(),
  domain_id: z.string(),
  created_at: Time,
  updated_at: Time,
})
export type LoadBalancer = z.infer<typeof LoadBalancer>

/** The address or the id of a floating IP of the project that leads nowhere. */
const FloatingIpName = z.string().min(1).max(64)
export const MAX_POOLS = 50

export const LoadBalancerDraft = z
  .strictObject({
    name: ResourceName,
    description: Description.default(''),
    enabled: z.boolean().default(true),
    network_id: Id,
    ip_version: z.union([z.literal(4), z.literal(6)]).default(4),
    /** Left out: a free one of the network. */
    address: IpAddress.nullable().optional(),
    floating_ip: FloatingIpName.nullable().optional(),
    /** A new floating IP of this external network. */
    floating_network_id: Id.optional(),
    /** Two of which one takes over from the other. */
    ha_enabled: z.boolean().default(false),
    /** Left out: the first one of the topology. */
    flavor_id: Id.optional(),
    pools: NewPools.max(MAX_POOLS, says('loadBalancing.too_many_pools', { most: MAX_POOLS })).default([]),
  })
  .superRefine(({ floating_ip, floating_network_id }, context) => {
    if (floating_ip && floating_network_id !== undefined)
      context.addIssue({
        ...{ code: 'custom', path: ['floating_network_id'] },
        message: says('loadBalancing.one_floating_ip'),
      })
  })
  .meta({
    examples: [
      { name: 'shop', network_id: someId('network') },
      {
        ...{ name: 'web', network_id: someId('network') },
        pools: [{ protocol: 'HTTP', protocol_port: 80, healthmonitor: { type: 'HTTP' } }],
      },
    ],
  })
export type LoadBalancerDraft = z.infer<typeof LoadBalancerDraft>

/** `floating_ip` null: it is reached from outside no more. */
export const LoadBalancerChange = z
  .strictObject({
    name: ResourceName,
    description: Description,
    enabled: z.boolean(),
    floating_ip: FloatingIpName.nullable(),
  })
  .partial()
  .meta({ examples: [{ description: 'for the shop' }, { enabled: false }] })
export type LoadBalancerChange = z.infer<typeof LoadBalancerChange>

const Traffic = z.object({
  active_connections: z.number().int(),
  total_connections: z.number().int(),
  bytes_in: z.number().int(),
  bytes_out: z.number().int(),
  request_errors: z.number().int(),
})
/** Counted since its process began. Of UDP no errors are known. */
export const LoadBalancerStats = Traffic.extend({
  members_count: z.number().int(),
  members_healthy: z.number().int(),
  pools: z.array(Traffic.extend({ id: z.string(), name: z.string() })),
})
export type LoadBalancerStats = z.infer<typeof LoadBalancerStats>

export const loadBalancerKind = kind({
  name: 'load_balancer',
  entity: LoadBalancer,
  visibility: 'project',
  status: 'status',
  filters: [
    'id',
    'name',
    'status',
    'enabled',
    'network_id',
    { name: 'address', type: 'text', addresses: true },
    { name: 'floating_ip', type: 'text' },
    { name: 'port_id', type: 'id' },
    'ha_enabled',
    'flavor_id',
    'project_id',
    'domain_id',
  ],
  sortKeys: ['name', 'status', 'address', 'created_at', 'updated_at'],
  search: ['name', 'address', 'floating_ip', 'description', 'id'],
  permissions: { collection: 'compute_load_balancers', item: 'compute_load_balancer' },
})

const path = '/api/v2/compute/lbaas/loadbalancers'
export const loadBalancers = endpoints({
  ...crud(loadBalancerKind, {
    path,
    called: ['a load balancer', 'load balancers'],
    draft: LoadBalancerDraft,
    change: LoadBalancerChange,
    delete: true,
    accepted: ['create', 'delete'],
    summaries: { delete: 'Delete a load balancer with its pools' },
  }),
  recreate: {
    verb: 'POST',
    path: `${path}/:id/recreate`,
    needs: update('compute_load_balancer'),
    summary: 'Make anew what carries a load balancer in error',
    status: 202,
    reply: LoadBalancer,
  },
  failover: {
    verb: 'POST',
    path: `${path}/:id/failover`,
    needs: create('compute_lb_failover'),
    summary: 'Replace what carries a load balancer',
    status: 202,
    reply: LoadBalancer,
  },
  stats: {
    verb: 'GET',
    path: `${path}/:id/stats`,
    needs: read('compute_load_balancer'),
    summary: 'What a load balancer has passed on since it began',
    reply: LoadBalancerStats,
  },
})
