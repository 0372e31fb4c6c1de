import type { LoadBalancer } from '@mainstay/contract/load-balancing/load-balancers'
import type { HealthMonitor, PoolMember } from '@mainstay/contract/load-balancing/members'
import { NO_CONNECTION_LIMIT, type LoadBalancerPool } from '@mainstay/contract/load-balancing/pools'
import { isInRange, parseAddress, parseRange } from '@mainstay/contract/networking/addresses'
import type { WantedBalancer, WantedMember, WantedMonitor, WantedPool } from '../network-model/wanted-balancers'
import type { NetworkRows } from './compile-wanted'

/** Certificate, key and client CA in PEM. */
export type PoolTls = NonNullable<WantedPool['tls']>

/** Load balancer rows, with the certificates that are stored separately. */
export interface BalancerRows {
  balancers: readonly LoadBalancer[]
  pools: readonly LoadBalancerPool[]
  /** By pool ID, for pools that terminate TLS. */
  tls: ReadonlyMap<string, PoolTls>
}

/** Returns the rows without keys, for callers that only compute reachability. */
export const withoutKeys = (balancers: readonly LoadBalancer[], pools: readonly LoadBalancerPool[]): BalancerRows => ({
  balancers,
  pools,
  tls: new Map(pools.map(({ id }) => [id, { certificate: '', key: '', clientCa: null, sni: [] }])),
})

/** Returns why a pool cannot be deployed, for display, or null if it can. */
export const keyFault = ({ id, tls_enabled }: LoadBalancerPool, { tls }: BalancerRows): string | null =>
  tls_enabled && !tls.has(id) ? 'Its private key cannot be decrypted. Enter the certificate and the key again' : null

/** Compiles rows to wanted load balancers. Pure function. */
export function compileBalancers(rows: BalancerRows, { networks, ports }: NetworkRows): WantedBalancer[] {
  const macs = new Map(ports.map(({ id, mac_address }) => [id, mac_address]))
  const subnets = new Map(networks.map((network) => [network.id, network.subnets]))
  const poolsOf = byBalancer(rows.pools)
  return rows.balancers.flatMap((balancer) => {
    const { id, status, enabled, network_id, port_id, address, amphorae } = balancer
    const at = parseAddress(address)!
    const subnet = subnets.get(network_id)?.find(({ cidr }) => isInRange(at, parseRange(cidr)!))
    const mac = macs.get(port_id)
    if (!subnet || mac === undefined || status === 'DEPLOYMENT_FAILED') return []
    const pools = poolsOf(id).filter((pool) => pool.enabled && keyFault(pool, rows) === null)
    return [
      {
        ...{
          id,
          amphoraIds: amphorae.map((it) => it.id),
          up: enabled && status !== 'DELETING',
          portId: port_id,
          networkId: network_id,
        },
        ...{ mac, address: `${address}/${subnet.cidr.split('/')[1]}`, gateway: subnet.gateway_ip },
        pools: pools.map((pool) => wantedPool(pool, rows.tls.get(pool.id) ?? null)),
      },
    ]
  })
}

const algorithms = {
  LEAST_CONNECTIONS: 'least',
  ROUND_ROBIN: 'round',
  SOURCE_IP: 'source',
  SOURCE_IP_PORT: 'source',
} as const
const monitors = { HTTP: 'http', HTTPS: 'https', TCP: 'tcp', 'UDP-CONNECT': 'udp', PING: 'ping' } as const

function wantedPool(pool: LoadBalancerPool, tls: PoolTls | null): WantedPool {
  const { protocol, backend_protocol, connection_limit, healthmonitor } = pool
  const mode = protocol === 'UDP' ? 'udp' : backend_protocol === 'HTTP' ? 'http' : 'tcp'
  const enabled = pool.members.filter((member) => member.enabled)
  // UDP forwarding does not check members itself, so members that are down are left out
  const isDown = ({ health }: PoolMember) => mode === 'udp' && health === 'UNHEALTHY'
  return {
    ...{ id: pool.id, mode, port: pool.protocol_port, memberPort: pool.backend_protocol_port, tls },
    ...{ algorithm: algorithms[pool.lb_algorithm], sticky: pool.sticky_session },
    proxyProtocol: pool.proxy_protocol_enabled,
    headers: Object.entries(pool.insert_headers).flatMap(([name, isOn]) => (isOn ? [name] : [])),
    connectionLimit: connection_limit === NO_CONNECTION_LIMIT ? null : connection_limit,
    allowedCidrs: pool.allowed_cidrs,
    monitor: healthmonitor?.enabled ? wantedMonitor(healthmonitor) : null,
    members: enabled.filter((member) => !isDown(member)).map(wantedMember),
    down: enabled.filter(isDown).map(wantedMember),
  }
}

const wantedMember = ({ id, address, weight }: PoolMember): WantedMember => ({ id, address, weight })

const wantedMonitor = ({ type, url_path, delay, timeout, ...counts }: HealthMonitor): WantedMonitor => ({
  ...{ type: monitors[type], path: url_path ?? '/', delay, timeout },
  ...{ rise: counts.max_retries, fall: counts.max_retries_down },
})

export function byBalancer(pools: readonly LoadBalancerPool[]): (id: string) => LoadBalancerPool[] {
  const found = new Map<string, LoadBalancerPool[]>()
  for (const pool of pools) found.set(pool.loadbalancer_id, [...(found.get(pool.loadbalancer_id) ?? []), pool])
  return (id) => found.get(id) ?? []
}
