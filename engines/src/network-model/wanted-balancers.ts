/*
 * What load balancers shall be, and what they say of themselves. Ids are UUIDs, addresses plain text; all addresses of a balancer
 * and its members are of one version.
 */

export interface WantedBalancer {
  id: string
  /**
   * What carries it: one, or two of which one has its address. Another one is made anew, and nothing of the one before is kept; the
   * one that stays takes over.
   */
  amphoraIds: string[]
  /** False: all its ports are closed. */
  up: boolean
  portId: string
  networkId: string
  mac: string
  /** With its prefix length. */
  address: string
  /** First hop to members elsewhere; null: there are none. */
  gateway: string | null
  pools: WantedPool[]
}

export interface WantedPool {
  id: string
  /** `http`: requests are read; `tcp`: bytes pass through; `udp`: packets do. */
  mode: 'http' | 'tcp' | 'udp'
  port: number
  memberPort: number
  /** PEM. Null: TLS does not end here. */
  tls: WantedTls | null
  /** `least` has none for UDP. */
  algorithm: 'least' | 'round' | 'source'
  sticky: boolean
  proxyProtocol: boolean
  /** Headers that members are given. */
  headers: string[]
  /** Connections at once; null: as many as there is room for. */
  connectionLimit: number | null
  /** Empty: everybody. */
  allowedCidrs: string[]
  monitor: WantedMonitor | null
  /** Those that are enabled. Of UDP, those that are not known to be down. */
  members: WantedMember[]
  /** Of UDP: those that are down, which are asked and given nothing. */
  down: WantedMember[]
}

/** PEM. */
export interface WantedTls {
  certificate: string
  key: string
  clientCa: string | null
  /** Shown to who asks for one of their names. */
  sni: { fingerprint: string; certificate: string; key: string }[]
}

/** Seconds, and counts of answers. */
export interface WantedMonitor {
  type: 'http' | 'https' | 'tcp' | 'udp' | 'ping'
  path: string
  delay: number
  timeout: number
  rise: number
  fall: number
}

export interface WantedMember {
  id: string
  address: string
  weight: number
}

/** `fault`: it cannot take over. */
export type AmphoraRole = 'alone' | 'master' | 'backup' | 'fault'

export interface BalancerReport {
  /** False: none of the processes that carry it runs; null: they run and do not answer. Only its traffic is known then. */
  isCarried: boolean | null
  /** By the ids of what carries it. */
  roles: Map<string, AmphoraRole>
  /** By the ids of members. */
  members: Map<string, MemberReport>
  /** By the ids of pools; those of UDP are not counted. */
  traffic: Map<string, PoolTraffic>
}

/** `unknown`: nobody has asked it yet. */
export interface MemberReport {
  health: 'up' | 'down' | 'unknown'
  /** How it was found out, as HAProxy says it (`L4TOUT`); empty where nobody asks. */
  check: string
  /** The status of HTTP that it answered. */
  code: number | null
}

/** Counted since the balancer was made; `active` is now. */
export interface PoolTraffic {
  active: number
  total: number
  bytesIn: number
  bytesOut: number
  errors: number
}
