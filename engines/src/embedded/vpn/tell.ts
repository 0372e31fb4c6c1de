import type { IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import type { VpnService } from '@mainstay/contract/vpn/vpn-services'
import { isPending } from '@mainstay/contract/vpn/connection-status'
import { withStatus } from '@mainstay/contract/vpn/status-history'
import type { Records } from '../../ports/records'
import type { Applied } from '../../network-model/wanted'
import { now } from '../networking/rows'
import { faultOf, type VpnRows } from './compile'
import { connections, vpnServices } from './rows'

/**
 * Records in the connection rows whether this host set the connections up, or why not. `followTunnels` reports whether
 * a tunnel is up. Skips rows that have changed since they were read, because another run follows.
 */
export async function reportVpns(
  records: Records,
  rows: VpnRows,
  applied: Applied,
  addressOf: (name: string) => string | null,
): Promise<void> {
  const faults = new Map(
    rows.connections.map((row) => [row.id, faultOf(row, rows) ?? applied.vpns.get(row.id) ?? null] as const),
  )
  for (const seen of rows.connections) {
    const fault = faults.get(seen.id) ?? null
    const unknown = addressOf(seen.peer_address) === null ? `${seen.peer_address} has no address` : null
    const isSet = !isPending(seen.status) && seen.status !== 'ERROR'
    const isSame =
      fault !== null
        ? seen.status === 'ERROR' && seen.reason === fault
        : isSet && (unknown === null || (seen.status === 'DOWN' && seen.reason === unknown))
    if (isSame) continue
    await records.transaction(async (tx) => {
      const row = await tx.lock<IpsecSiteConnection>(connections, seen.id)
      if (!row || row.updated_at !== seen.updated_at || row.status !== seen.status) return
      const status = fault === null ? 'DOWN' : 'ERROR'
      await tx.put(connections, { ...row, ...withStatus(row, status, fault ?? unknown, now()) })
    })
  }
  const services = new Map(rows.connections.map(({ vpnservice_id }) => [vpnservice_id, false]))
  for (const { id, vpnservice_id } of rows.connections) if (!faults.get(id)) services.set(vpnservice_id, true)
  for (const [id, isWell] of services) await tellService(records, id, isWell ? 'ACTIVE' : 'ERROR')
}

async function tellService(records: Records, id: string, status: VpnService['status']): Promise<void> {
  await records.transaction(async (tx) => {
    const seen = await tx.get<VpnService>(vpnServices, id)
    if (!seen || seen.status === status) return
    const service = await tx.lock<VpnService>(vpnServices, id)
    if (service) await tx.put(vpnServices, { ...service, status, updated_at: now() })
  })
}
