import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'
import { kind } from '../core/kind'
import { Time } from '../core/names'
import { page, PageQuery } from '../core/paging'

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
  filters: {
    id: { path: 'id', type: 'id' },
    name: { path: 'name', type: 'text' },
    network_id: { path: 'network_id', type: 'id' },
    ip_version: { path: 'ip_version', type: 'number' },
  },
  sortKeys: { name: { path: 'name', type: 'text' }, created_at: { path: 'created_at', type: 'time' } },
  search: ['name', 'id', 'cidr'],
  permissions: { collection: 'compute_subnets', item: 'compute_subnet' },
})

const base = '/api/v2/compute/subnets'
export const subnets = endpoints({
  list: {
    verb: 'GET',
    path: base,
    needs: read('compute_subnets'),
    summary: 'List subnets',
    query: PageQuery,
    reply: page(Subnet),
  },
  view: { verb: 'GET', path: `${base}/:id`, needs: read('compute_subnet'), summary: 'Read a subnet', reply: Subnet },
})
