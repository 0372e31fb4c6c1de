import { EVERYBODY } from '@mainstay/contract/core/readers'
import type { Network } from '@mainstay/contract/networking/networks'
import { namedId } from '../../ports/named-id'
import type { RecordsTransaction } from '../../ports/records'
import { physicalNetwork } from './networks'
import { now, type Owner } from './rows'
import { putNetwork, validatedSubnet, subnetRow } from './subnets'

/**
 * Private record that shows that the external network was created, so that it is not created again after it is deleted.
 */
const markKind = 'first_start'
const markId = 'external network'

export const firstExternalNetworkId = namedId('external')
/** Reserved for benchmarking (RFC 2544) and therefore not used by hosts and tenants; the uplink uses the other half. */
const cidr = '198.19.0.0/16'

export const needsExternalNetwork = async (tx: RecordsTransaction): Promise<boolean> =>
  (await tx.getPrivate(markKind, markId)) === null

/**
 * Creates the network for the router gateways and floating IPs of all projects. Runs once per installation, and creates
 * the network only if no external network exists.
 */
export async function ensureExternalNetwork(tx: RecordsTransaction, owner: Owner): Promise<void> {
  if (!(await needsExternalNetwork(tx))) return
  await tx.putPrivate(markKind, markId, {})
  const [known] = await tx.find<Network>('network', { router_external: true }, 1)
  if (known) return
  const base = { id: firstExternalNetworkId, shared: false, ...owner, created_at: now() }
  const network: Network = {
    ...base,
    ...{ name: 'public', status: 'ACTIVE', type: 'flat', router_external: true, ipam_enabled: true },
    ...{ physical_network: physicalNetwork.id, vlan_id: null, mtu: physicalNetwork.mtu },
    subnets: [subnetRow(base, 'public IPv4', validatedSubnet({ cidr, enable_dhcp: false }, ''))],
    rbac_policies: [{ target_project: EVERYBODY, actions: ['routed'] }],
    ...{ spoofing_protection: true, default_vnic_type: 'normal' },
  }
  await putNetwork(tx, network)
}
