import {
  canProxyProtocol,
  isForwarding,
  poolProtocols,
  type Forwarding,
  type PoolProtocol,
} from '@mainstay/contract/load-balancing/forwarding'
import type * as z from 'zod'
import type { Reading } from '../kind-reader'
import { pageSize, whole } from '../networking/wire'
import { paths, WireListener, WirePool } from './wire'

/** Listeners and pools of one or all load balancers. */
export interface Family {
  listeners: WireListener[]
  pools: ReadonlyMap<string, WirePool>
}

/** Reads the rows of a list, for one load balancer or, if null, for all of them. */
export const listOf = <Item extends z.ZodType>(
  { caller }: Pick<Reading, 'caller'>,
  [path, key]: readonly [string, string],
  item: Item,
  balancer: string | null,
  signal?: AbortSignal,
): Promise<z.output<Item>[]> =>
  whole(
    caller.pages('load-balancer', path, key, item, {
      query: { limit: pageSize, ...(balancer !== null && { loadbalancer_id: balancer }) },
      ...(signal && { signal }),
    }),
  )

export async function familyOf(reading: Reading, balancer: string | null, signal?: AbortSignal): Promise<Family> {
  const [listeners, pools] = await Promise.all([
    listOf(reading, [paths.listeners, 'listeners'], WireListener, balancer, signal),
    listOf(reading, [paths.pools, 'pools'], WirePool, balancer, signal),
  ])
  return { listeners, pools: new Map(pools.map((pool) => [pool.id, pool])) }
}

export interface ForwardingOfListener extends Forwarding {
  proxy_protocol_enabled: boolean
}

const TERMINATED = 'TERMINATED_HTTPS'
/** Returns Octavia's name for a listener's protocol. */
export const listenerProtocol = ({ protocol, tls_enabled }: Pick<Forwarding, 'protocol' | 'tls_enabled'>): string =>
  tls_enabled ? TERMINATED : protocol

const protocolIn = (word: string): PoolProtocol | undefined => poolProtocols.find((one) => one === word)

/** Returns the protocols of a listener and its pool, or null if the contract does not support the combination. */
export function forwardingIn(listener: WireListener, pool: WirePool | null): ForwardingOfListener | null {
  const tls_enabled = listener.protocol === TERMINATED
  const protocol = protocolIn(tls_enabled ? 'HTTPS' : listener.protocol)
  if (!protocol) return null
  const own = tls_enabled ? 'HTTP' : protocol
  const proxy_protocol_enabled = pool !== null && /^PROXY(V2)?$/.test(pool.protocol)
  const backend_protocol = pool === null || proxy_protocol_enabled ? own : protocolIn(pool.protocol)
  if (!backend_protocol) return null
  const forwarding = { protocol, backend_protocol, tls_enabled }
  if (!isForwarding(forwarding) || (proxy_protocol_enabled && !canProxyProtocol(forwarding))) return null
  return { ...forwarding, proxy_protocol_enabled }
}

/** Returns the listeners that the contract represents as pools, with the pool behind each of them. */
export const asPools = ({ listeners, pools }: Family) =>
  listeners.flatMap((listener) => {
    const pool = (listener.default_pool_id && pools.get(listener.default_pool_id)) || null
    const forwarding = forwardingIn(listener, pool)
    return forwarding ? [{ listener, pool, forwarding }] : []
  })

/** Describes the listeners and pools that the contract cannot represent. */
export function unsupportedParts(family: Family): string[] {
  const shown = asPools(family)
  const ofListeners = family.listeners
    .filter((listener) => !shown.some((one) => one.listener.id === listener.id))
    .map(({ id, name, protocol, protocol_port, default_pool_id }) => {
      const pool = default_pool_id ? family.pools.get(default_pool_id) : undefined
      const behind = pool ? `, forwarded by ${pool.protocol} to pool ${pool.name || pool.id}` : ''
      return `Listener ${name || id}: ${protocol} on port ${protocol_port}${behind}`
    })
  const led = new Set(family.listeners.map(({ default_pool_id }) => default_pool_id))
  const ofPools = [...family.pools.values()]
    .filter(({ id }) => !led.has(id))
    .map(({ id, name, protocol }) => `Pool ${name || id}: ${protocol}, not the default pool of any listener`)
  return [...ofListeners, ...ofPools]
}
