import { isInRange, parseAddress, parseRange, type IpRange } from '@mainstay/contract/networking/addresses'
import type { NetworkSubnetDraft } from '@mainstay/contract/networking/subnets'
import { subnetFaults, wholeSubnet, type WholeSubnet } from '@mainstay/contract/networking/subnet-rules'
import { type Problem, withField } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { ServiceClient } from '../../client/service-client'
import { atFields, orElse, refuseFaults } from '../refusals'
import { whole } from '../wire'

const Pool = z.object({
  id: z.string(),
  ip_version: z.number(),
  prefixes: z.array(z.string()).default([]),
  is_default: z.boolean().default(false),
})

const holds = (prefix: string, range: IpRange): boolean => {
  const outer = parseRange(prefix)
  return outer !== null && isInRange({ version: range.version, value: range.first }, outer) && outer.last >= range.last
}

/**
 * Returns the subnet pool to allocate a range from: the pool used by the network's other subnets with the same IP
 * version, otherwise the default pool if it contains the range. Null if there is none.
 */
async function poolFor(cloud: ServiceClient, networkId: string, range: IpRange): Promise<string | null> {
  const { version } = range
  const Row = z.object({ id: z.string(), subnetpool_id: z.string().nullish() })
  const query = { network_id: networkId, ip_version: version, fields: ['id', 'subnetpool_id'] }
  const beside = await whole(cloud.pages('network', '/subnets', 'subnets', Row, { query }))
  const [first] = beside
  if (first) return first.subnetpool_id ?? null
  const pools = await orElse(
    whole(cloud.pages('network', '/subnetpools', 'subnetpools', Pool, { query: { is_default: true } })),
    // a cloud without subnet pools
    () => [],
  )
  const found = pools.find(
    (pool) => pool.is_default && pool.ip_version === version && pool.prefixes.some((prefix) => holds(prefix, range)),
  )
  return found?.id ?? null
}

/** Validates a subnet. Throws `validation` or `gateway_in_pool` errors on the fields at fault. */
export function checkSubnet(draft: NetworkSubnetDraft, at = ''): WholeSubnet {
  const subnet = wholeSubnet(draft)
  refuseFaults(subnetFaults(draft.ip_version === undefined ? subnet : { ...subnet, ip_version: draft.ip_version }), at)
  return subnet
}

/** Converts an IPv6 mode to Neutron's, which has no value for "none". */
const modeOf = (mode: WholeSubnet['ipv6_address_mode']) => (mode === 'none' ? null : mode)

const Made = z.object({ subnet: z.object({ id: z.string() }) })

/** Creates a validated subnet and returns its ID. Assigns errors to its fields. */
export async function makeSubnet(
  cloud: ServiceClient,
  networkId: string,
  draft: NetworkSubnetDraft,
  { at = '', projectId }: { at?: string; projectId: string },
): Promise<string> {
  const subnet = wholeSubnet(draft)
  const pool = await poolFor(cloud, networkId, parseRange(subnet.cidr)!)
  const [address, announced] = [modeOf(subnet.ipv6_address_mode), modeOf(subnet.ipv6_ra_mode)]
  const body = {
    network_id: networkId,
    project_id: projectId,
    name: draft.name ?? '',
    cidr: subnet.cidr,
    ip_version: subnet.ip_version,
    gateway_ip: subnet.gateway_ip,
    enable_dhcp: subnet.enable_dhcp,
    dns_nameservers: subnet.dns_nameservers,
    ...(draft.allocation_pools !== undefined && { allocation_pools: subnet.allocation_pools }),
    ...(address !== null && { ipv6_address_mode: address }),
    ...(announced !== null && { ipv6_ra_mode: announced }),
    ...(pool !== null && { subnetpool_id: pool }),
  }
  const { subnet: made } = await atFields(
    {
      cidr_overlaps: `${at}cidr`,
      gateway_in_pool: `${at}gateway_ip`,
      validation: `${at}cidr`,
      conflict: `${at}cidr`,
    },
    cloud.send('POST', 'network', '/subnets', Made, { body: { subnet: body } }),
  )
  return made.id
}

/** Assigns an error to the changed field. */
export const atChanged = (problem: Problem, changed: readonly string[]): Problem => {
  const fields: Partial<Record<Problem['code'], string>> = {
    gateway_in_pool: 'gateway_ip',
    ip_address_in_use: 'gateway_ip',
  }
  const field = fields[problem.code] ?? (problem.code === 'validation' ? changed[0] : undefined)
  return field === undefined ? problem : withField(problem, { field })
}

/** Returns the subnet that contains the address. */
export const subnetWith = <Row extends { cidr: string }>(subnets: readonly Row[], address: string): Row | undefined => {
  const at = parseAddress(address)
  return at ? subnets.find(({ cidr }) => isInRange(at, parseRange(cidr)!)) : undefined
}
