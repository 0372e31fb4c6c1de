import { says, type RuleText } from '../core/said'
import * as z from 'zod'
import { crud } from '../core/crud'
import { create, endpoints, read, remove } from '../core/endpoint'
import { examplesOf } from '../core/example'
import { kind } from '../core/kind'
import { ResourceName, Time } from '../core/names'
import { TaskStarted } from '../core/tasks'
import { AccessPolicy } from '../core/readers'
import { NetworkAccessPolicies, sharedNetworks } from './access'
import { IpAddress, Mtu, VlanId } from './address-fields'
import { NetworkSubnetDraft, Subnet } from './subnets'

/** Statuses of networks and routers (S2§4). */
export const NetworkStatus = z.enum([
  'ACTIVE',
  'DOWN',
  'BUILD',
  'ERROR',
  'PENDING_CREATE',
  'PENDING_UPDATE',
  'PENDING_DELETE',
])

/** `normal` is the default. `direct`: a virtual function of the hardware (SR-IOV). */
export const VnicType = z.enum(['normal', 'direct'])

/** A network (S2§3). */
export const Network = z.object({
  id: z.string(),
  name: z.string(),
  status: NetworkStatus,
  /** Why the network is in the error state or does not fully work. Omitted if there is no problem. */
  fault: z.string().nullable().optional(),
  type: z.enum(['flat', 'vlan', 'vxlan']),
  subnets: z.array(Subnet),
  shared: z.boolean(),
  ipam_enabled: z.boolean(),
  router_external: z.boolean(),
  /** Returned only to system scopes. */
  physical_network: z.string().nullable().optional(),
  vlan_id: z.number().int().nullable(),
  mtu: z.number().int(),
  /**
   * Projects and domains that the network is shared with, and the kind of access. Scopes that do not own it see only
   * the policies that apply to them.
   */
  rbac_policies: z.array(AccessPolicy),
  spoofing_protection: z.boolean(),
  default_vnic_type: VnicType,
  project_id: z.string(),
  domain_id: z.string(),
  created_at: Time,
})
export type Network = z.infer<typeof Network>

/** At most one subnet per IP version. */
const Subnets = z.array(NetworkSubnetDraft).max(2, says('networking.one_subnet_each')).default([])

const common = {
  name: ResourceName,
  /** If empty, addresses are not managed, and guests configure their own. */
  subnets: Subnets,
  /** Default: the MTU of the underlying network. */
  mtu: Mtu.optional(),
}
/** Fields that only external networks have. */
const physical = {
  rbac_policies: NetworkAccessPolicies.default([]),
  default_vnic_type: VnicType.default('normal'),
}

export const PrivateNetworkDraft = z
  .strictObject({ ...common, spoofing_protection: z.boolean().default(true) })
  .meta({ examples: [{ name: 'backend', subnets: [{ cidr: '192.168.77.0/24' }] }] })
export type PrivateNetworkDraft = z.infer<typeof PrivateNetworkDraft>

/** `physical_network` is an infrastructure network. */
export const PublicNetworkDraft = z
  .strictObject({ ...common, physical_network: z.string().min(1).max(64), ...physical })
  .meta({ examples: [{ name: 'office', physical_network: 'public', subnets: [{ cidr: '203.0.113.0/24' }] }] })
export type PublicNetworkDraft = z.infer<typeof PublicNetworkDraft>

/** `vlan_network` is the infrastructure network that carries the VLAN. */
export const VlanNetworkDraft = z
  .strictObject({ ...common, vlan_network: z.string().min(1).max(64), vlan_id: VlanId, ...physical })
  .meta({
    examples: [{ name: 'lab', vlan_network: 'public', vlan_id: 42, subnets: [{ cidr: '198.51.100.0/24' }] }],
  })
export type VlanNetworkDraft = z.infer<typeof VlanNetworkDraft>

/**
 * Body for command-line clients, which create both kinds with one call: directly on an infrastructure network, or in a
 * VLAN on it.
 */
export const ExternalNetworkDraft = PublicNetworkDraft.extend({
  physical_network: PublicNetworkDraft.shape.physical_network.optional(),
  vlan_network: VlanNetworkDraft.shape.vlan_network.optional(),
  vlan_id: VlanId.optional(),
})
  .superRefine(({ physical_network, vlan_network, vlan_id }, context) => {
    const add = (field: string, message: RuleText) => context.addIssue({ code: 'custom', path: [field], message })
    if (physical_network === undefined && vlan_network === undefined)
      add('physical_network', says('networking.choose_infrastructure'))
    if (physical_network !== undefined && vlan_network !== undefined)
      add('vlan_network', says('networking.physical_or_vlan'))
    if (vlan_network !== undefined && vlan_id === undefined) add('vlan_id', says('networking.enter_vlan'))
    if (vlan_network === undefined && vlan_id !== undefined) add('vlan_id', says('networking.vlan_needs_network'))
  })
  .meta({ examples: examplesOf(PublicNetworkDraft) })
export type ExternalNetworkDraft = z.infer<typeof ExternalNetworkDraft>

/** Only external networks have policies. They replace the existing ones. */
export const NetworkChange = z
  .strictObject({
    name: ResourceName,
    mtu: Mtu,
    rbac_policies: NetworkAccessPolicies,
    default_vnic_type: VnicType,
    spoofing_protection: z.boolean(),
  })
  .partial()
  .meta({ examples: [{ name: 'renamed' }] })
export type NetworkChange = z.infer<typeof NetworkChange>

export const networkKind = kind({
  name: 'network',
  entity: Network,
  visibility: 'project',
  shared: { path: 'shared', equals: true },
  policies: sharedNetworks,
  status: 'status',
  filters: [
    'id',
    'name',
    'status',
    'type',
    'router_external',
    'ipam_enabled',
    'vlan_id',
    'project_id',
    'domain_id',
    { name: 'cidr', path: 'derived.cidrs', type: 'tags', addresses: true },
  ],
  sortKeys: ['name', 'created_at', 'mtu', { name: 'type', type: 'id' }],
  derive: { version: 1, from: ({ subnets }) => ({ cidrs: subnets.map(({ cidr }) => cidr) }) },
  systemOnly: ['physical_network'],
  permissions: { collection: 'compute_networks', item: 'compute_network_details' },
})

/** Use of an address. `reserved` addresses cannot be assigned (gateway, name server, network address). */
export const AddressHolder = z.object({
  address: z.string(),
  kind: z.enum(['instance', 'router', 'floating_ip', 'load_balancer', 'service', 'port', 'reserved']),
  /** ID of the instance, router or floating IP; null for objects without a page. */
  object_id: z.string().nullable(),
  object_name: z.string(),
  port_id: z.string().nullable(),
  mac_address: z.string().nullable(),
  status: z.string().nullable(),
  /** Returned only to system scopes. */
  project_id: z.string().optional(),
})
export type AddressHolder = z.infer<typeof AddressHolder>

/**
 * Address usage of a subnet. `total` counts the addresses that guests can have, as text because of the size of IPv6
 * ranges.
 */
export const AddressUse = z.object({
  subnet_id: z.string(),
  network_id: z.string(),
  cidr: z.string(),
  ip_version: z.number().int(),
  total: z.string().regex(/^\d+$/),
  used: z.number().int(),
})
export type AddressUse = z.infer<typeof AddressUse>

export const MAX_ADDRESS_HOLDERS = 5000

const path = '/api/v2/compute/networks'
const {
  list,
  view,
  update: change,
} = crud(networkKind, { path, called: ['a network', 'networks'], change: NetworkChange })
const DeletionQuery = z.looseObject({
  delete_vlan_interfaces: z.string().max(8).optional(),
  params: z.string().max(1024).optional().describe('The query as JSON: `{"delete_vlan_interfaces": true}`.'),
})

/** Each kind of network has its own path. Only operators can create external and VLAN networks. */
export const networks = endpoints({
  list,
  /** Must precede `view`, whose path would otherwise match first. */
  addressUse: {
    verb: 'GET',
    path: `${path}/address-use`,
    needs: read('compute_subnets'),
    summary: 'List the address usage of subnets. Returns the subnets that you can see.',
    query: z.looseObject({ network_id: z.string().max(64).optional() }),
    reply: z.object({ data: z.array(AddressUse) }),
  },
  freeRange: {
    verb: 'GET',
    path: `${path}/free-range`,
    needs: read('compute_subnets'),
    summary: 'Find an IP range that no network of the project uses',
    query: z.looseObject({
      prefix: z.coerce.number().int().min(8).max(64).default(24),
      version: z.coerce
        .number()
        .int()
        .pipe(z.union([z.literal(4), z.literal(6)]))
        .default(4),
    }),
    reply: z.object({ cidr: z.string().nullable() }),
  },
  whoHas: {
    verb: 'GET',
    path: `${path}/who-has`,
    needs: read('compute_networks'),
    summary: 'Find the holder of an IP address. Searches the networks that you can see.',
    query: z.looseObject({ address: IpAddress }),
    reply: z.object({ data: z.array(AddressHolder.extend({ network_id: z.string(), network_name: z.string() })) }),
  },
  view,
  createPrivate: {
    verb: 'POST',
    path: `${path}/private`,
    needs: create('compute_private_networks'),
    summary: 'Create a private network',
    body: PrivateNetworkDraft,
    status: 201,
    reply: Network,
  },
  createPublic: {
    verb: 'POST',
    path: `${path}/public`,
    needs: create('compute_public_networks'),
    summary: 'Create an external network. `vlan_network` places it in a VLAN.',
    body: ExternalNetworkDraft,
    status: 202,
    reply: Network.extend({ task_id: z.string() }),
  },
  createVlan: {
    verb: 'POST',
    path: `${path}/vlan`,
    needs: create('compute_vlan_networks'),
    summary: 'Create an external network in a VLAN',
    body: VlanNetworkDraft,
    status: 202,
    reply: Network.extend({ task_id: z.string() }),
  },
  update: change,
  delete: {
    verb: 'DELETE',
    path: `${path}/:id`,
    needs: remove('compute_network_details'),
    summary: 'Delete a network. It must not be in use.',
    query: DeletionQuery,
    reply: z.void(),
  },
  /** Other kinds have their own calls, which return a task. */
  deleteOfKind: {
    verb: 'DELETE',
    path: `${path}/:kind/:id`,
    needs: remove('compute_network_details'),
    summary: 'Delete a private network. It must not be in use. `kind` is `private`.',
    query: DeletionQuery,
    reply: z.void(),
  },
  deletePublic: {
    verb: 'DELETE',
    path: `${path}/public/:id`,
    needs: remove('compute_network_details'),
    summary: 'Delete an external network. It must not be in use.',
    query: DeletionQuery,
    status: 202,
    reply: TaskStarted,
  },
  deleteVlan: {
    verb: 'DELETE',
    path: `${path}/vlan/:id`,
    needs: remove('compute_network_details'),
    summary: 'Delete an external network in a VLAN. It must not be in use.',
    query: DeletionQuery,
    status: 202,
    reply: TaskStarted,
  },
  holders: {
    verb: 'GET',
    path: `${path}/:id/addresses`,
    needs: read('compute_network_details'),
    summary: 'List the used addresses of a network. Returns at most 5000 addresses, each with its holder.',
    reply: z.object({ data: z.array(AddressHolder), truncated: z.boolean() }),
  },
})
