import { randomUUID } from 'node:crypto'
import { problem } from '@mainstay/contract/core/problems'
import { connectionKind, type IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import { endpointGroupKind } from '@mainstay/contract/vpn/endpoint-groups'
import { ikePolicyKind, ipsecPolicyKind } from '@mainstay/contract/vpn/policies'
import { vpnServiceKind } from '@mainstay/contract/vpn/vpn-services'
import type { Seals } from '../../ports/engine'
import type { RecordsTransaction } from '../../ports/records'
import type { Scope } from '../../ports/scope'
import { Secret } from '../../ports/secret'
import { getOwn, lockOwn } from '../access'
import { requireNetworks, type Carried } from '../networking/rows'

/* Rows for connections, policies, endpoint groups and VPN services. Lock routing before writing any of them. */

export const connections = connectionKind.name
export const ikePolicies = ikePolicyKind.name
export const ipsecPolicies = ipsecPolicyKind.name
export const endpointGroups = endpointGroupKind.name
export const vpnServices = vpnServiceKind.name

/** Throws `networking_unavailable`, naming the missing requirement, if VPN is not available on this host. */
export function requireVpn(engine: Carried & { carrier: { vpnUnavailable(): string | null } }): void {
  requireNetworks(engine)
  const because = engine.carrier.vpnUnavailable()
  if (because !== null) throw problem('networking.unavailable', { reason: because })
}

/** Locks a connection. Throws `not_found` if it is outside the scope. */
export async function lockConnection(tx: RecordsTransaction, scope: Scope, id: string): Promise<IpsecSiteConnection> {
  // check before locking, so that callers cannot block rows of other projects
  await getOwn<IpsecSiteConnection>(tx, connections, scope, id)
  return lockOwn<IpsecSiteConnection>(tx, connections, scope, id)
}

export function refuseWhileMade({ status }: IpsecSiteConnection): void {
  if (status === 'PENDING_CREATE') throw problem('vpn.connection_pending', {}, { data: { status } })
}

/* Keys are stored next to the row, encrypted with the installation's key. */

interface KeptKey {
  /** The encrypted pre-shared key in base64. */
  sealed: string
  keyId: string
}
export interface ConnectionKey {
  psk: string
  /** A new ID for each key. */
  keyId: string
}
const placeOf = (id: string) => `pre-shared key of connection ${id}`

export const keepKey = (tx: RecordsTransaction, seals: Seals, id: string, psk: string): Promise<void> =>
  tx.putPrivate(connections, id, {
    sealed: seals.seal(new Secret(psk), placeOf(id)).toString('base64'),
    keyId: randomUUID(),
  } satisfies KeptKey)

/**
 * Returns the pre-shared key of a connection. Null if there is no key, or if it was encrypted by another installation.
 */
export async function keyOf(tx: RecordsTransaction, seals: Seals, id: string): Promise<ConnectionKey | null> {
  const kept = await tx.getPrivate<KeptKey>(connections, id)
  const key = kept && seals.unseal(Buffer.from(kept.sealed, 'base64'), placeOf(id))
  return kept && key ? { psk: key.reveal(), keyId: kept.keyId } : null
}

/* Parts that were created with a connection are deleted once no connection uses them. */

export const noteMadeWith = (tx: RecordsTransaction, kind: string, id: string): Promise<void> =>
  tx.putPrivate(kind, id, { madeWithConnection: true })
export const wasMadeWith = async (tx: RecordsTransaction, kind: string, id: string): Promise<boolean> =>
  (await tx.getPrivate<{ madeWithConnection: boolean }>(kind, id))?.madeWithConnection === true
