import { proposalOf } from '@mainstay/contract/vpn/algorithms'
import type { IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import type { IkePolicy, IpsecPolicy } from '@mainstay/contract/vpn/policies'
import type { Seals } from '../../ports/engine'
import type { RecordsTransaction } from '../../ports/records'
import type { WantedConnection, WantedVpn } from '../../network-model/wanted-vpns'
import { connections, ikePolicies, ipsecPolicies, keyOf, type ConnectionKey } from './rows'

/** Connection rows with their policies and keys. */
export interface VpnRows {
  connections: readonly IpsecSiteConnection[]
  ike: ReadonlyMap<string, IkePolicy>
  ipsec: ReadonlyMap<string, IpsecPolicy>
  /** Keyed by connection ID. */
  keys: ReadonlyMap<string, ConnectionKey>
}

export async function readVpns(tx: RecordsTransaction, seals: Seals): Promise<VpnRows> {
  const rows = await tx.find<IpsecSiteConnection>(connections, {})
  const keys = new Map<string, ConnectionKey>()
  if (rows.length === 0) return { connections: [], ike: new Map(), ipsec: new Map(), keys }
  for (const { id } of rows) {
    const key = await keyOf(tx, seals, id)
    if (key) keys.set(id, key)
  }
  const byId = <Row extends { id: string }>(all: Row[]) => new Map(all.map((row) => [row.id, row]))
  return {
    connections: rows,
    ike: byId(await tx.find<IkePolicy>(ikePolicies, {})),
    ipsec: byId(await tx.find<IpsecPolicy>(ipsecPolicies, {})),
    keys,
  }
}

/** Returns the fault that prevents a connection from being set up, as a message for users, or null if there is none. */
export function faultOf({ id }: IpsecSiteConnection, { keys }: VpnRows): string | null {
  return keys.has(id) ? null : 'Its pre-shared key cannot be decrypted. Enter it again'
}

/**
 * Compiles the rows into the tunnels to set up. `addressOf` returns the address of a peer, or null if it is unknown.
 */
export function compileVpns(rows: VpnRows, addressOf: (name: string) => string | null): WantedVpn[] {
  const found = new Map<string, WantedConnection[]>()
  for (const row of rows.connections) {
    const [ike, ipsec, key] = [
      rows.ike.get(row.ikepolicy_id),
      rows.ipsec.get(row.ipsecpolicy_id),
      rows.keys.get(row.id),
    ]
    const peerAddress = addressOf(row.peer_address)
    if (!ike || !ipsec || !key || peerAddress === null || row.local_address === null) continue
    const wanted: WantedConnection = {
      ...{ id: row.id, version: ike.ike_version === 'v1' ? 1 : 2 },
      ike: { proposal: proposalOf(ike), lifetime: ike.lifetime.value },
      esp: { proposal: proposalOf(ipsec), lifetime: ipsec.lifetime.value },
      ...{ localAddress: row.local_address, peerAddress },
      ...{ localId: row.local_id ?? row.local_address, peerId: row.peer_id, ...key },
      ...{ local: row.local_subnets, remote: row.remote_subnets, isSplit: row.split_selector },
      ...{ begins: row.initiator === 'bi-directional', dpd: row.dpd },
    }
    found.set(row.router_id, [...(found.get(row.router_id) ?? []), wanted])
  }
  return [...found].map(([routerId, some]) => ({ routerId, connections: some }))
}
