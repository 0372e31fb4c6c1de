import type { DpdAction } from '@mainstay/contract/vpn/algorithms'
import type { TunnelPart } from '@mainstay/contract/vpn/connection-status'

/* Wanted state and reports for VPN tunnels. IDs are UUIDs; addresses and ranges are plain text. */

/** The VPN connections of a router. */
export interface WantedVpn {
  routerId: string
  connections: WantedConnection[]
}

export interface WantedConnection {
  id: string
  version: 1 | 2
  /** The proposal in strongSwan notation (`aes256-sha256-modp2048`), and the lifetime of keys in seconds. */
  ike: { proposal: string; lifetime: number }
  esp: { proposal: string; lifetime: number }
  /** The router's external address, of the same IP version as the peer address. */
  localAddress: string
  peerAddress: string
  localId: string
  peerId: string
  psk: string
  /** Changes whenever the key changes, so that keys can be compared without revealing them. */
  keyId: string
  local: string[]
  remote: string[]
  /** Creates a separate child SA for each pair of ranges. */
  isSplit: boolean
  /** Whether this side may initiate the connection. */
  begins: boolean
  dpd: { action: DpdAction; interval: number; timeout: number }
}

export interface TunnelReport {
  isUp: boolean
  /** Why the tunnel is down, if known. */
  cause: TunnelPart | null
  reason: string | null
  /** In chronological order. */
  log: { at: string; text: string }[]
  /** ISO time; null if the connection is not established. */
  establishedAt: string | null
  /** Counts since the server started monitoring the tunnel. */
  traffic: Traffic
  children: (Pick<Traffic, 'bytesIn' | 'bytesOut'> & {
    local: string[]
    remote: string[]
    installedAt: string
    rekeyAt: string | null
    algorithms: string
  })[]
}
export interface Traffic {
  bytesIn: number
  bytesOut: number
  packetsIn: number
  packetsOut: number
}
