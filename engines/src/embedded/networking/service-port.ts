import type { Network } from '@mainstay/contract/networking/networks'
import { deviceOwners, type Port } from '@mainstay/contract/networking/ports'
import type { Subnet } from '@mainstay/contract/networking/subnets'
import { namedId } from '../../ports/named-id'
import type { RecordsTransaction } from '../../ports/records'
import { giveBack, takeAddress, takeFreeAddress, type AskedAddress, type FixedIp } from './addresses'
import { changePort, putPort, releasePort, unprotected } from './ports'

/*
 * A network's port for DHCP, DNS and metadata, with an address in each subnet that has DHCP.
 */

export const servicePortId = (networkId: string): string => namedId(`${networkId} service`)

const isServed = ({ enable_dhcp, ipv6_address_mode }: Subnet): boolean => enable_dhcp && ipv6_address_mode !== 'none'

/**
 * Allocates service addresses in subnets that have DHCP, and releases those in other subnets. The network must be
 * locked.
 */
export async function keepService(
  tx: RecordsTransaction,
  network: Network,
  wanted: readonly AskedAddress[] = [],
): Promise<void> {
  const id = servicePortId(network.id)
  const served = network.subnets.filter(isServed)
  const known = await tx.lock<Port>('port', id)
  if (served.length === 0) return known ? releasePort(tx, id) : undefined
  const taking = { network, holder: { port_id: id }, field: 'allocation_pools' }
  const kept = (known?.fixed_ips ?? []).filter((ip) => served.some((subnet) => subnet.id === ip.subnet_id))
  const gone = (known?.fixed_ips ?? []).filter((ip) => !kept.includes(ip))
  await giveBack(
    tx,
    network.id,
    gone.map(({ ip_address }) => ip_address),
  )
  const missing = served.filter((subnet) => !kept.some((ip) => ip.subnet_id === subnet.id))
  const taken: FixedIp[] = []
  for (const subnet of missing) {
    const asked = wanted.find(({ subnet_id }) => subnet_id === subnet.id)
    taken.push(asked ? await takeAddress(tx, asked, taking) : await takeFreeAddress(tx, subnet, taking))
  }
  if (known) {
    if (gone.length > 0 || taken.length > 0) await changePort(tx, known, { fixed_ips: [...kept, ...taken] })
    return
  }
  const { project_id, domain_id } = network
  const port = await putPort(
    tx,
    {
      id,
      network: { ...network, subnets: [] },
      owner: { project_id, domain_id },
      device: { id: `dhcp-${network.id}`, owner: deviceOwners.service, name: 'DHCP' },
      ...{ addresses: null, mac: null, protection: unprotected, status: 'ACTIVE' },
    },
    { network: 'subnets', addresses: 'subnets', mac: 'subnets' },
  )
  await tx.put('port', { ...port, fixed_ips: taken })
}
