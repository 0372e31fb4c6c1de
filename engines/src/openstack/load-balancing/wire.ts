import * as z from 'zod'
import { WireTime } from '../wire-time'

/*
 * Responses from the load balancing service: https://docs.openstack.org/api-ref/load-balancer/v2/. A load balancer has
 * listeners (frontend ports) and pools (members), and a listener forwards to its default pool. In the contract, a
 * listener and its default pool are a single pool.
 */

const Ids = z
  .array(z.object({ id: z.string() }))
  .nullish()
  .transform((rows) => (rows ?? []).map(({ id }) => id))
const Text = z
  .string()
  .nullish()
  .transform((text) => text ?? '')
const Texts = z
  .array(z.string())
  .nullish()
  .transform((texts) => texts ?? [])
const Times = { created_at: WireTime.nullish(), updated_at: WireTime.nullish() }
const Named = { id: z.string(), name: Text, provisioning_status: z.string(), admin_state_up: z.boolean().default(true) }

export const WireBalancer = z.object({
  ...Named,
  ...Times,
  description: Text,
  operating_status: Text,
  project_id: z.string(),
  provider: Text,
  flavor_id: z.string().nullish(),
  vip_address: Text,
  vip_port_id: Text,
  vip_network_id: Text,
  vip_subnet_id: z.string().nullish(),
  listeners: Ids,
  pools: Ids,
  tags: Texts,
})
export type WireBalancer = z.output<typeof WireBalancer>

export const WireListener = z.object({
  ...Named,
  ...Times,
  description: Text,
  project_id: z.string(),
  protocol: z.string(),
  protocol_port: z.number(),
  connection_limit: z.number().nullish(),
  default_pool_id: z.string().nullish(),
  default_tls_container_ref: z.string().nullish(),
  sni_container_refs: Texts,
  client_ca_tls_container_ref: z.string().nullish(),
  insert_headers: z.record(z.string(), z.string()).nullish(),
  allowed_cidrs: Texts,
  l7policies: Ids,
  loadbalancers: Ids,
  tags: Texts,
})
export type WireListener = z.output<typeof WireListener>

const Persistence = z.object({ type: z.string(), cookie_name: z.string().nullish() })

export const WirePool = z.object({
  ...Named,
  ...Times,
  protocol: z.string(),
  lb_algorithm: z.string(),
  session_persistence: Persistence.nullish(),
  healthmonitor_id: z.string().nullish(),
  tls_enabled: z.boolean().nullish(),
  listeners: Ids,
  loadbalancers: Ids,
  members: Ids,
  tags: Texts,
})
export type WirePool = z.output<typeof WirePool>

export const WireMember = z.object({
  ...Named,
  operating_status: Text,
  address: z.string(),
  protocol_port: z.number(),
  weight: z.number().default(1),
  subnet_id: z.string().nullish(),
  backup: z.boolean().nullish(),
  monitor_address: z.string().nullish(),
  monitor_port: z.number().nullish(),
  tags: Texts,
})
export type WireMember = z.output<typeof WireMember>

export const WireMonitor = z.object({
  ...Named,
  type: z.string(),
  delay: z.number(),
  timeout: z.number(),
  max_retries: z.number(),
  max_retries_down: z.number().default(3),
  http_method: z.string().nullish(),
  url_path: z.string().nullish(),
  expected_codes: z.string().nullish(),
  pools: Ids,
})
export type WireMonitor = z.output<typeof WireMonitor>

/** API paths of the service. */
export const paths = {
  balancers: '/lbaas/loadbalancers',
  listeners: '/lbaas/listeners',
  pools: '/lbaas/pools',
  monitors: '/lbaas/healthmonitors',
} as const
export const at = (path: string, id: string): string => `${path}/${encodeURIComponent(id)}`
export const membersOf = (pool: string): string => `${at(paths.pools, pool)}/members`

export const BalancerAnswer = z.object({ loadbalancer: WireBalancer })
export const ListenerAnswer = z.object({ listener: WireListener })
export const PoolAnswer = z.object({ pool: WirePool })
export const MonitorAnswer = z.object({ healthmonitor: WireMonitor })

/**
 * How long a load balancer may be busy before it counts as stuck. Creating two virtual machines may take half of that
 * time.
 */
const PATIENCE_MS = 30 * 60_000

type OnItsWay = Pick<WireBalancer, 'provisioning_status' | 'updated_at' | 'created_at'>
export const isPending = ({ provisioning_status }: Pick<OnItsWay, 'provisioning_status'>): boolean =>
  provisioning_status.startsWith('PENDING_')

/** Returns the message about a change that has taken the service too long, or null. */
export function stuckReason(wire: OnItsWay): string | null {
  const since = wire.updated_at ?? wire.created_at
  if (!isPending(wire) || !since || Date.now() - Date.parse(since) < PATIENCE_MS) return null
  return (
    `The cloud has not finished the change (${wire.provisioning_status}) that began on ` +
    `${since.slice(0, 16).replace('T', ' ')} UTC, and refuses further changes until then. ` +
    'An operator of the cloud must reset it'
  )
}
