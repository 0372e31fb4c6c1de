import * as z from 'zod'
import { crud } from '../core/crud'
import { kind } from '../core/kind'
import { Time } from '../core/names'
import { AccessPolicy } from '../core/readers'
import { sharedNetworks, Subnet } from './subnets'

export const NetworkStatus = z.enum([
  'ACTIVE',
  'DOWN',
  'BUILD',
  'ERROR',
  'PENDING_CREATE',
  'PENDING_UPDATE',
  'PENDING_DELETE',
])

/** S2§3. Read here for wizards and instance pages; managing networks is an area of its own. */
export const Network = z.object({
  id: z.string(),
  name: z.string(),
  status: NetworkStatus,
  type: z.enum(['flat', 'vlan', 'vxlan']),
  subnets: z.array(Subnet),
  shared: z.boolean(),
  ipam_enabled: z.boolean(),
  router_external: z.boolean(),
  /** Only a system scope is told. */
  physical_network: z.string().nullable().optional(),
  vlan_id: z.number().int().nullable(),
  mtu: z.number().int(),
  /** With whom it is shared. Who does not own it is told of policies about themselves only. */
  rbac_policies: z.array(AccessPolicy),
  spoofing_protection: z.boolean(),
  /** Cards that are not asked to be of another kind are of this one. */
  default_vnic_type: z.enum(['normal', 'direct']),
  project_id: z.string(),
  domain_id: z.string(),
  created_at: Time,
})
export type Network = z.infer<typeof Network>

export const networkKind = kind({
  name: 'network',
  entity: Network,
  visibility: 'project',
  shared: { path: 'shared', equals: true },
  policies: sharedNetworks,
  status: 'status',
  filters: ['id', 'name', 'status', 'type', 'router_external', 'project_id', 'domain_id'],
  sortKeys: ['name', 'created_at'],
  systemOnly: ['physical_network'],
  permissions: { collection: 'compute_networks', item: 'compute_network_details' },
})

export const networks = crud(networkKind, { path: '/api/v2/compute/networks', called: ['a network', 'networks'] })
