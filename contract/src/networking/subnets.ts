import * as z from 'zod'
import { crud } from '../core/crud'
import { kind } from '../core/kind'
import { Time } from '../core/names'
import { AccessPolicy } from '../core/readers'

/** Instances of those to whom a policy gives this action can be attached. */
export const sharedNetworks = { path: 'rbac_policies', action: 'access_as_shared' } as const

/** S2§3. */
export const Subnet = z.object({
  id: z.string(),
  name: z.string(),
  network_id: z.string(),
  cidr: z.string(),
  ip_version: z.union([z.literal(4), z.literal(6)]),
  allocation_pools: z.array(z.object({ start: z.string(), end: z.string() })),
  dns_nameservers: z.array(z.string()),
  gateway_ip: z.string().nullable(),
  enable_dhcp: z.boolean(),
  ipv6_ra_mode: z.string().nullable(),
  ipv6_address_mode: z.string().nullable(),
  shared: z.boolean(),
  /** Those of its network; left out where they are told with the network. */
  rbac_policies: z.array(AccessPolicy).optional(),
  project_id: z.string(),
  domain_id: z.string(),
  created_at: Time,
})
export type Subnet = z.infer<typeof Subnet>

export const subnetKind = kind({
  name: 'subnet',
  entity: Subnet,
  visibility: 'project',
  shared: { path: 'shared', equals: true },
  policies: sharedNetworks,
  filters: ['id', 'name', 'network_id', 'ip_version'],
  sortKeys: ['name', 'created_at'],
  search: ['name', 'id', 'cidr'],
  permissions: { collection: 'compute_subnets', item: 'compute_subnet' },
})

export const subnets = crud(subnetKind, { path: '/api/v2/compute/subnets', called: ['a subnet', 'subnets'] })
