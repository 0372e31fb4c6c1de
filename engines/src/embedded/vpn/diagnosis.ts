import { tunnelParts, type TunnelPart, type VpnDiagnosis } from '@mainstay/contract/vpn/connection-status'
import type { IpsecSiteConnection, VpnStats } from '@mainstay/contract/vpn/connections'
import type { TunnelReport } from '../../network-model/wanted-vpns'
import { reasonFor } from './follow-tunnels'

/** For each part that can make a negotiation fail, the parts that must have succeeded before it. */
const shownBy: Record<TunnelPart, readonly TunnelPart[]> = {
  router: [],
  address: ['router'],
  proposal: ['router', 'address'],
  identity: ['router', 'address', 'proposal'],
  key: ['router', 'address', 'proposal'],
  selectors: ['router', 'address', 'proposal', 'identity', 'key'],
}

/** Determines why a tunnel is down, from its row and the daemon's report. Pure. */
export function diagnosisOf(row: IpsecSiteConnection, report: TunnelReport | undefined): VpnDiagnosis {
  const isUp = row.status === 'ACTIVE' || (report?.isUp ?? false)
  const isHere = row.status === 'ERROR'
  // a peer name that cannot be resolved is shown in the row before a daemon exists
  const cause = isUp
    ? null
    : isHere
      ? 'router'
      : (report?.cause ?? (report ? null : row.reason === null ? null : 'address'))
  const reason = isUp ? null : isHere ? row.reason : report ? reasonFor(row, report) : row.reason
  const good = new Set<TunnelPart>(isUp ? tunnelParts : cause ? shownBy[cause] : report ? ['router'] : [])
  return {
    status: row.status,
    cause,
    reason,
    since: row.status_changed_at,
    checks: tunnelParts.map((part) => ({
      part,
      state: part === cause ? 'failed' : good.has(part) ? 'good' : 'unknown',
      detail: part === cause ? reason : null,
    })),
    log: report?.log ?? [],
  }
}

const nothing = { bytesIn: 0, bytesOut: 0, packetsIn: 0, packetsOut: 0 }

export function statsOf(report: TunnelReport | undefined): VpnStats {
  const { bytesIn, bytesOut, packetsIn, packetsOut } = report?.traffic ?? nothing
  return {
    established_at: report?.establishedAt ?? null,
    ...{ bytes_in: bytesIn, bytes_out: bytesOut, packets_in: packetsIn, packets_out: packetsOut },
    tunnels: (report?.children ?? []).map((child) => ({
      ...{ local: child.local, remote: child.remote, installed_at: child.installedAt, rekey_at: child.rekeyAt },
      ...{ algorithms: child.algorithms, bytes_in: child.bytesIn, bytes_out: child.bytesOut },
    })),
  }
}
