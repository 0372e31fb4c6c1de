import { says } from '../core/said'
import * as z from 'zod'
import { crud } from '../core/crud'
import { someId } from '../core/example'
import { kind } from '../core/kind'
import { Id, OptionalName, Time } from '../core/names'
import { AccessPolicy } from '../core/readers'
import { sharedNetworks } from './access'
import { IpAddress, SubnetCidr } from './address-fields'

/**
 * IPv6 address assignment (S2§9). `none`: manual. `slaac`: from router advertisements. `dhcpv6-stateful`: through
 * DHCPv6. `dhcpv6-stateless`: as with `slaac`, but with other settings through DHCPv6.
 */
export const ipv6Modes = ['none', 'slaac', 'dhcpv6-stateful', 'dhcpv6-stateless'] as const
export const Ipv6Mode = z.enum(ipv6Modes)
export type Ipv6Mode = z.infer<typeof Ipv6Mode>

export const AllocationPool = z.object({ start: z.string(), end: z.string() })
export type AllocationPool = z.infer<typeof AllocationPool>

/** A subnet (S2§3). */
export const Subnet = z.object({
  id: z.string(),
  name: z.string(),
  network_id: z.string(),
  cidr: z.string(),
  ip_version: z.union([z.literal(4), z.literal(6)]),
  allocation_pools: z.array(AllocationPool),
  dns_nameservers: z.array(z.string()),
  /** Null if there is no gateway. */
  gateway_ip: z.string().nullable(),
  enable_dhcp: z.boolean(),
  /** Null for IPv4, and if there are no router advertisements. */
  ipv6_ra_mode: z.string().nullable(),
  ipv6_address_mode: z.string().nullable(),
  shared: z.boolean(),
  /** Policies of its network; omitted if the subnet is part of a network response. */
  rbac_policies: z.array(AccessPolicy).optional(),
  project_id: z.string(),
  domain_id: z.string(),
  created_at: Time,
})
export type Subnet = z.infer<typeof Subnet>

export const MAX_NAME_SERVERS = 5
export const MAX_POOLS = 20

const fields = {
  /** Default: the first usable address in the range. Null: no gateway. */
  gateway_ip: IpAddress.nullable().optional(),
  enable_dhcp: z.boolean(),
  /** Default: all usable addresses except the gateway. */
  allocation_pools: z
    .array(z.strictObject({ start: IpAddress, end: IpAddress }))
    .max(MAX_POOLS, says('networking.too_many_allocation_pools', { most: MAX_POOLS }))
    .optional(),
  /** If omitted or empty, the network's name server is used. */
  dns_nameservers: z
    .array(IpAddress)
    .max(MAX_NAME_SERVERS, says('networking.too_many_name_servers', { most: MAX_NAME_SERVERS }))
    .optional(),
}

/** A subnet that is created together with its network. Checks across fields are in `subnetFaults`. */
export const NetworkSubnetDraft = z.strictObject({
  name: OptionalName.optional(),
  cidr: SubnetCidr,
  /** Must match the range. */
  ip_version: z.union([z.literal(4), z.literal(6)]).optional(),
  ...fields,
  enable_dhcp: fields.enable_dhcp.default(true),
  /** IPv6 only. Default: `slaac`. */
  ipv6_address_mode: Ipv6Mode.nullable().optional(),
  ipv6_ra_mode: Ipv6Mode.nullable().optional(),
})
export type NetworkSubnetDraft = z.infer<typeof NetworkSubnetDraft>

export const SubnetDraft = NetworkSubnetDraft.extend({ network_id: Id }).meta({
  examples: [
    { network_id: someId('network'), cidr: 'fd00:20::/64', ipv6_address_mode: 'slaac', ipv6_ra_mode: 'slaac' },
  ],
})
export type SubnetDraft = z.infer<typeof SubnetDraft>

/** The range and the IPv6 mode cannot be changed. */
export const SubnetChange = z
  .strictObject({ name: OptionalName, ...fields })
  .partial()
  .meta({ examples: [{ dns_nameservers: ['9.9.9.9'] }] })
export type SubnetChange = z.infer<typeof SubnetChange>

export const subnetKind = kind({
  name: 'subnet',
  entity: Subnet,
  visibility: 'project',
  shared: { path: 'shared', equals: true },
  policies: sharedNetworks,
  filters: ['id', 'name', 'network_id', 'ip_version', { name: 'cidr', type: 'text', addresses: true }, 'project_id'],
  sortKeys: ['name', 'created_at'],
  search: ['name', 'id', 'cidr'],
  permissions: { collection: 'compute_subnets', item: 'compute_subnet' },
})

export const subnets = crud(subnetKind, {
  path: '/api/v2/compute/subnets',
  called: ['a subnet', 'subnets'],
  draft: SubnetDraft,
  change: SubnetChange,
  delete: true,
  summaries: {
    create: 'Add a subnet to a network. A network has at most one IPv4 and one IPv6 subnet.',
    update: 'Update a subnet. Changes its gateway, DHCP, allocation pools or name servers.',
    delete: 'Delete a subnet. Its addresses must not be in use.',
  },
})
