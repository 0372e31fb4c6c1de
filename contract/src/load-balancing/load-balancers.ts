import { says } from '../core/said'
import * as z from 'zod'
import { crud } from '../core/crud'
import { create, endpoints, read, update } from '../core/endpoint'
import { someId } from '../core/example'
import { kind } from '../core/kind'
import { Description, Id, ResourceName, Time } from '../core/names'
import { IpAddress } from '../networking/address-fields'
import { NewPools } from './pools'

/** Statuses from S2§4. DEPLOYMENT_FAILED: the first deployment failed; recreating the load balancer retries it. */
export const loadBalancerStatuses = [
  'CREATING',
  'DEPLOYMENT_FAILED',
  'ACTIVE',
  'DISABLED',
  'CONFIGURING',
  'DELETING',
  'ERROR',
  // statuses of networks, routers and VPN, which a cloud may also report for load balancers
  'DOWN',
  'BUILD',
  'PENDING_CREATE',
  'PENDING_UPDATE',
  'PENDING_DELETE',
] as const
export type LoadBalancerStatus = (typeof loadBalancerStatuses)[number]

/** Whether the load balancer is being created or deleted (S2§4). */
export const isInProgress = (status: LoadBalancerStatus): boolean => status === 'CREATING' || status === 'DELETING'

/** Roles and topologies from S2§9. */
export const amphoraRoles = ['STANDALONE', 'MASTER', 'BACKUP'] as const
export const topologies = ['ACTIVE_STANDBY', 'SINGLE'] as const
export type Topology = (typeof topologies)[number]

/** An instance that runs a load balancer: a single one, or one of an active/standby pair. */
export const Amphora = z.object({
  id: z.string(),
  role: z.enum(amphoraRoles),
  /** Whether this amphora handles the traffic. */
  active: z.boolean(),
  /** The node or instance on which it runs. */
  compute_id: z.string().nullable(),
})

/** A load balancer (S2§3). */
export const LoadBalancer = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  status: z.enum(loadBalancerStatuses),
  /** Description of the current problem, if any. */
  fault: z.string().nullable().optional(),
  /** If false, all ports of the load balancer are closed. */
  enabled: z.boolean(),
  network_id: z.string(),
  network_name: z.string(),
  ip_version: z.union([z.literal(4), z.literal(6)]),
  /** IP address in its network. */
  address: z.string(),
  /** Port with this address; the target of floating IPs. */
  port_id: z.string(),
  /** Floating IP address, for access from outside. */
  floating_ip: z.string().nullable(),
  floating_ip_id: z.string().nullable(),
  ha_enabled: z.boolean(),
  flavor_id: z.string(),
  /** Only if there are several providers; see `providers` of the service. */
  provider: z.string().optional(),
  /** Descriptions of settings made outside this product that it does not support. They are preserved. */
  foreign: z.array(z.string()).optional(),
  amphorae: z.array(Amphora),
  pools: z.array(z.object({ id: z.string(), name: z.string() })),
  /** Total for all pools. */
  members_count: z.number().int(),
  /** Number of enabled members that are not unhealthy. */
  members_healthy: z.number().int(),
  /** Number of enabled members that do not respond. Disabled members are not counted. */
  members_unhealthy: z.number().int(),
  project_id: z.string(),
  domain_id: z.string(),
  created_at: Time,
  updated_at: Time,
})
export type LoadBalancer = z.infer<typeof LoadBalancer>

/** Address or ID of an unassigned floating IP in the project. */
const FloatingIpName = z.string().min(1).max(64)
export const MAX_POOLS = 50

export const LoadBalancerDraft = z
  .strictObject({
    name: ResourceName,
    description: Description.default(''),
    enabled: z.boolean().default(true),
    network_id: Id,
    ip_version: z.union([z.literal(4), z.literal(6)]).default(4),
    /** Default: a free address in the network. */
    address: IpAddress.nullable().optional(),
    floating_ip: FloatingIpName.nullable().optional(),
    /** External network to allocate a new floating IP from. */
    floating_network_id: Id.optional(),
    /** Runs two instances; the standby takes over if the active one fails. */
    ha_enabled: z.boolean().default(false),
    /** Default: the first flavor with the chosen topology. */
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

/** `floating_ip: null` removes the floating IP. */
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
/** Counters since the process was started. Errors are unknown for UDP. */
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
    summaries: { delete: 'Delete a load balancer and its pools' },
  }),
  recreate: {
    verb: 'POST',
    path: `${path}/:id/recreate`,
    needs: update('compute_load_balancer'),
    summary: 'Rebuild a load balancer in the error state. Its addresses, pools and members are kept.',
    status: 202,
    reply: LoadBalancer,
  },
  failover: {
    verb: 'POST',
    path: `${path}/:id/failover`,
    needs: create('compute_lb_failover'),
    summary: 'Fail over a load balancer. Replaces the instances that handle its traffic.',
    status: 202,
    reply: LoadBalancer,
  },
  stats: {
    verb: 'GET',
    path: `${path}/:id/stats`,
    needs: read('compute_load_balancer'),
    summary: 'Get the traffic statistics of a load balancer',
    reply: LoadBalancerStats,
  },
})
