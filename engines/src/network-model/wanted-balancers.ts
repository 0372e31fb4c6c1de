/*
 * Wanted state and reports for load balancers. IDs are UUIDs, and addresses are plain text. The addresses of a load
 * balancer and its members have the same IP version.
 */

export interface WantedBalancer {
  id: string
  /**
   * IDs of the amphorae that run the load balancer: a single amphora, or a pair of which one is active. A new ID starts
   * a new amphora without the state of the previous one. In a pair, the other amphora takes over during that time.
   */
  amphoraIds: string[]
  /** If false, all ports are closed. */
  up: boolean
  portId: string
  networkId: string
  mac: string
  /** With prefix length. */
  address: string
  /** Gateway to members in other subnets; null if there is none. */
  gateway: string | null
  pools: WantedPool[]
}

export interface WantedPool {
  id: string
  /** `http` parses requests; `tcp` forwards bytes; `udp` forwards packets. */
  mode: 'http' | 'tcp' | 'udp'
  port: number
  memberPort: number
  /** PEM; null if the pool does not terminate TLS. */
  tls: WantedTls | null
  /** UDP uses `round` instead of `least`. */
  algorithm: 'least' | 'round' | 'source'
  sticky: boolean
  proxyProtocol: boolean
  /** Headers that are added to requests to members. */
  headers: string[]
  /** Maximum number of concurrent connections; null for no limit. */
  connectionLimit: number | null
  /** Allowed source ranges; empty to allow all. */
  allowedCidrs: string[]
  monitor: WantedMonitor | null
  /** Enabled members. For UDP, members that are known to be down are excluded. */
  members: WantedMember[]
  /** UDP only: members that are down. They are checked, but receive no traffic. */
  down: WantedMember[]
}

/** Certificates and keys in PEM. */
export interface WantedTls {
  certificate: string
  key: string
  clientCa: string | null
  /** Additional certificates, selected by SNI. */
  sni: { fingerprint: string; certificate: string; key: string }[]
}

/** Times in seconds, and numbers of consecutive checks. */
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

/** `fault`: the amphora cannot take over. */
export type AmphoraRole = 'alone' | 'master' | 'backup' | 'fault'

export interface BalancerReport {
  /**
   * False if no process runs the load balancer; null if the processes run but do not respond. In both cases, only the
   * traffic is known.
   */
  isCarried: boolean | null
  /** By amphora ID. */
  roles: Map<string, AmphoraRole>
  /** By member ID. */
  members: Map<string, MemberReport>
  /** By pool ID; UDP pools are not counted. */
  traffic: Map<string, PoolTraffic>
}

/** `unknown` until the first check. */
export interface MemberReport {
  health: 'up' | 'down' | 'unknown'
  /** The result of the check in HAProxy's notation (`L4TOUT`); empty without a health check. */
  check: string
  /** HTTP status of the response. */
  code: number | null
}

/** Counts since the load balancer was created, except for `active`, which is current. */
export interface PoolTraffic {
  active: number
  total: number
  bytesIn: number
  bytesOut: number
  errors: number
}
