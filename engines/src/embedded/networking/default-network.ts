import type { Network } from '@mainstay/contract/networking/networks'
import type { Subnet } from '@mainstay/contract/networking/subnets'
import type { RecordsTransaction } from '../../ports/records'
import { namedId } from '../../ports/named-id'
import { keepService } from './service-port'
import { rangeOf, toAddress } from './ipv4'

/** Name of the built-in network, which all projects can use. */
const defaultName = 'default'
export const defaultNetworkId = namedId(defaultName)
const defaultCidr = '10.20.0.0/16'
/** Lower addresses are reserved: the first for the gateway, the second for DNS, and the rest for future services. */
const firstForGuests = 10

export interface NetworkOwner {
  project_id: string
  domain_id: string
}

/**
 * Returns a network whose guests can reach everything that the host can reach, without a router, but cannot be reached
 * from outside. If this host has no networking, each instance gets its own NAT instead and cannot reach other
 * instances. IDs are derived from `key`.
 */
export function natNetwork(
  key: string,
  name: string,
  cidr: string,
  owner: NetworkOwner,
  shared: boolean,
): { network: Network; subnet: Subnet } {
  const { first, last } = rangeOf(cidr)
  const created_at = new Date().toISOString()
  const [id, subnetId] = [namedId(key), namedId(`${key}-ipv4`)]
  const subnet: Subnet = {
    id: subnetId,
    name: `${name} IPv4`,
    network_id: id,
    cidr,
    ip_version: 4,
    allocation_pools: [{ start: toAddress(first + firstForGuests), end: toAddress(last - 1) }],
    dns_nameservers: [toAddress(first + 2)],
    gateway_ip: toAddress(first + 1),
    enable_dhcp: true,
    ipv6_ra_mode: null,
    ipv6_address_mode: null,
    shared,
    ...owner,
    created_at,
  }
  const network: Network = {
    id,
    name,
    status: 'ACTIVE',
    type: 'flat',
    subnets: [subnet],
    shared,
    ipam_enabled: true,
    router_external: false,
    physical_network: null,
    vlan_id: null,
    mtu: 1500,
    rbac_policies: [],
    spoofing_protection: true,
    default_vnic_type: 'normal',
    ...owner,
    created_at,
  }
  return { network, subnet }
}

export const hasDefaultNetwork = async (tx: RecordsTransaction): Promise<boolean> =>
  (await tx.get('network', defaultNetworkId)) !== null

/** Creates the default network once per data folder, including its service address for DHCP and DNS. */
export async function ensureDefaultNetwork(tx: RecordsTransaction, owner: NetworkOwner): Promise<void> {
  await tx.exclusive(`network:${defaultNetworkId}`)
  const known = await tx.get<Network>('network', defaultNetworkId)
  if (!known) {
    const { network, subnet } = natNetwork(defaultName, 'Default network', defaultCidr, owner, true)
    await tx.put('network', network)
    await tx.put('subnet', subnet)
    await keepService(tx, network, nameServers(network))
  } else await keepService(tx, known, nameServers(known))
}

const nameServers = ({ subnets }: Network) =>
  subnets.flatMap(({ id, dns_nameservers: [ip_address] }) =>
    ip_address === undefined ? [] : [{ subnet_id: id, ip_address }],
  )
