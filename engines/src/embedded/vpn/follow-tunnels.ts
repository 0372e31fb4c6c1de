import type { IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import { withStatus } from '@mainstay/contract/vpn/status-history'
import type { TunnelReport } from '../../network-model/wanted-vpns'
import type { Engine } from '../engine'
import { followReports } from '../networking/follow-reports'
import { now } from '../networking/rows'
import { connections } from './rows'

/** Returns why a tunnel is down, as a message for users, or null if the tunnel is up or the reason is not yet known. */
export const reasonFor = ({ initiator }: IpsecSiteConnection, { isUp, reason }: TunnelReport): string | null => {
  if (isUp || reason !== null) return isUp ? null : reason
  return initiator === 'response-only' ? 'The peer has not started the connection, and this side only responds' : null
}

/** Updates the status of connections from the state of their tunnels. Returns a function that stops the updates. */
export const followTunnels = (engine: Engine): (() => Promise<void>) =>
  followReports<TunnelReport>(engine, {
    isThere: () => !!engine.carrier.wanted()?.vpns.length,
    reports: async () => (await engine.hypervisor.dataplane?.tunnels()) ?? new Map(),
    textOf: ({ isUp, reason }) => `${isUp} ${reason}`,
    write: (id, report) => write(engine, id, report),
    fault: 'failed to save the state of tunnels',
  })

/** Returns false if the row cannot be updated yet because a change is in progress. */
const write = (engine: Engine, id: string, report: TunnelReport): Promise<boolean> =>
  engine.records.transaction(async (tx) => {
    const row = await tx.lock<IpsecSiteConnection>(connections, id)
    if (!row) return true
    if (row.status !== 'ACTIVE' && row.status !== 'DOWN') return false
    const status = report.isUp ? 'ACTIVE' : 'DOWN'
    const reason = reasonFor(row, report)
    if (row.status === status && row.reason === reason) return true
    await tx.put(connections, { ...row, ...withStatus(row, status, reason, now()) })
    return true
  })
