import type { DpdAction } from '@mainstay/contract/vpn/algorithms'
import type { TunnelPart } from '@mainstay/contract/vpn/connection-status'

/* What tunnels of routers shall be, and what they say of themselves. Ids are UUIDs, addresses and ranges plain text. */

/** The connections of a router. */
export interface WantedVpn {
  routerId: string
  connections: WantedConnection[]
}

export interface WantedConnection {
  id: string
  version: 1 | 2
  /** As strongSwan writes them (`aes256-sha256-modp2048`), and seconds after which there are new keys. */
  ike: { proposal: string; lifetime: number }
  esp: { proposal: string; lifetime: number }
  /** The router's own address outside, of the version of the peer's. */
  localAddress: string
  peerAddress: string
  localId: string
  peerId: string
  psk: string
  /** Another one with each key: tells keys apart without them. */
  keyId: string
  local: string[]
  remote: string[]
  /** A child for each pair of ranges. */
  isSplit: boolean
  /** This side begins, too. */
  begins: boolean
  dpd: { action: DpdAction; interval: number; timeout: number }
}

export interface TunnelReport {
  isUp: boolean
  /** What keeps it from being up, as far as it is known. */
  cause: TunnelPart | null
  reason: string | null
  /** The newest last. */
  log: { at: string; text: string }[]
  /** ISO time; null: the ends have not agreed. */
  establishedAt: string | null
  /** Counted since the server looks after it. */
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
