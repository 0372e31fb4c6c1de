import { says } from '../core/said'
import * as z from 'zod'
import { crud } from '../core/crud'
import { endpoints } from '../core/endpoint'
import { someId } from '../core/example'
import { kind } from '../core/kind'
import { Description, Id, ResourceName, Time } from '../core/names'
import { NetworkCidr, PortNumber } from '../networking/address-fields'
import { Certificate } from '../settings/certificate'
import {
  insertableHeaders,
  isForwarding,
  lbAlgorithms,
  poolFaults,
  poolProtocols,
  portsConflict,
  type PoolFault,
} from './forwarding'
import { HealthMonitor, HealthMonitorDraft, MemberDrafts, PoolMember } from './members'

/** Statuses from S2§4. */
export const poolStatuses = ['CREATING', 'ACTIVE', 'CONFIGURING', 'DELETING', 'ERROR'] as const

/** A certificate for TLS termination. The remaining validity is derived from `not_after`. */
export const PoolCertificate = Certificate.omit({ days_left: true })
export type PoolCertificate = z.infer<typeof PoolCertificate>

/** Returns the certificate that expires first among those of a pool, or null if the pool has none. */
export const firstToExpire = ({
  certificate,
  sni_certificates = [],
}: Pick<LoadBalancerPool, 'certificate' | 'sni_certificates'>): PoolCertificate | null =>
  [...(certificate ? [certificate] : []), ...sni_certificates].toSorted(
    (one, other) => Date.parse(one.not_after) - Date.parse(other.not_after),
  )[0] ?? null

const Headers = z.object(
  Object.fromEntries(insertableHeaders.map((name) => [name, z.boolean()])) as Record<
    (typeof insertableHeaders)[number],
    z.ZodBoolean
  >,
)

/** A pool: a port of a load balancer and the members that it forwards to (S2§3). */
export const LoadBalancerPool = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  loadbalancer_id: z.string(),
  loadbalancer_name: z.string(),
  status: z.enum(poolStatuses),
  /** Description of the current problem, if any. */
  fault: z.string().nullable().optional(),
  /** Descriptions of settings made outside this product that it does not support. They are preserved. */
  foreign: z.array(z.string()).optional(),
  /** If false, the pool's port is closed. */
  enabled: z.boolean(),
  protocol: z.enum(poolProtocols),
  protocol_port: z.number().int(),
  backend_protocol: z.enum(poolProtocols),
  backend_protocol_port: z.number().int(),
  /** Whether TLS is terminated at the load balancer. */
  tls_enabled: z.boolean(),
  /** Default certificate, for clients without SNI or with an unknown server name. */
  certificate: PoolCertificate.nullable(),
  /** Certificates selected by server name (SNI). */
  sni_certificates: z.array(PoolCertificate).optional(),
  /** CA that client certificates are verified against; null: they are not verified. */
  client_ca: z.string().nullable(),
  lb_algorithm: z.enum(lbAlgorithms),
  sticky_session: z.boolean(),
  proxy_protocol_enabled: z.boolean(),
  insert_headers: Headers.partial(),
  connection_limit: z.number().int().describe('-1: no limit.'),
  /** Empty: all addresses. */
  allowed_cidrs: z.array(z.string()),
  healthmonitor: HealthMonitor.nullable(),
  members: z.array(PoolMember),
  members_count: z.number().int(),
  /** Number of enabled members that are not unhealthy. */
  members_healthy: z.number().int(),
  /** Number of enabled members that do not respond. Disabled members are not counted. */
  members_unhealthy: z.number().int(),
  project_id: z.string(),
  domain_id: z.string(),
  created_at: Time,
  updated_at: Time,
})
export type LoadBalancerPool = z.infer<typeof LoadBalancerPool>

/** Maximum number of connections (S2§9). */
export const MAX_CONNECTION_LIMIT = 2_000_000_000
export const NO_CONNECTION_LIMIT = -1
const LIMIT = says('loadBalancing.connection_limit', { most: MAX_CONNECTION_LIMIT, none: NO_CONNECTION_LIMIT })
const ConnectionLimit = z
  .int(LIMIT)
  .max(MAX_CONNECTION_LIMIT, LIMIT)
  .refine((limit) => limit === NO_CONNECTION_LIMIT || limit >= 1, LIMIT)

export const MAX_CERTIFICATE_BYTES = 64 * 1024
const Pem = (most: number, label: string) =>
  z
    .string()
    .max(most, says('core.too_many_kib', { most: most / 1024 }))
    .refine((text) => new RegExp(`-----BEGIN [A-Z0-9 ]*${label}-----`).test(text), says('core.paste_pem'))

export const MAX_SNI_CERTIFICATES = 20
const PrivateKey = Pem(16 * 1024, 'PRIVATE KEY')
const SniCertificateDraft = z.union(
  [
    z.strictObject({ fingerprint: z.string() }).describe('Keeps an existing certificate.'),
    z.strictObject({ certificate: Pem(MAX_CERTIFICATE_BYTES, 'CERTIFICATE'), private_key: PrivateKey }),
  ],
  says('loadBalancing.sni_certificate'),
)
export type SniCertificateDraft = z.infer<typeof SniCertificateDraft>

export const MAX_ALLOWED_CIDRS = 100
const Settings = {
  name: ResourceName,
  description: Description,
  enabled: z.boolean(),
  lb_algorithm: z.enum(lbAlgorithms),
  sticky_session: z.boolean(),
  proxy_protocol_enabled: z.boolean(),
  insert_headers: z.strictObject(Headers.shape).partial(),
  connection_limit: ConnectionLimit,
  allowed_cidrs: z
    .array(NetworkCidr)
    .max(MAX_ALLOWED_CIDRS, says('loadBalancing.too_many_ranges', { most: MAX_ALLOWED_CIDRS })),
  healthmonitor: HealthMonitorDraft.nullable(),
  members: MemberDrafts,
  /** In PEM: the certificate, followed by its chain. */
  certificate: Pem(MAX_CERTIFICATE_BYTES, 'CERTIFICATE'),
  /** Unencrypted, in PEM. It is never returned. */
  private_key: PrivateKey,
  /** Certificates selected by server name. The list replaces the existing one. */
  sni_certificates: z
    .array(SniCertificateDraft)
    .max(MAX_SNI_CERTIFICATES, says('loadBalancing.too_many_sni_certificates', { most: MAX_SNI_CERTIFICATES })),
  client_ca: Pem(MAX_CERTIFICATE_BYTES, 'CERTIFICATE').nullable(),
}

const Draft = z.strictObject({
  ...z.object(Settings).partial().shape,
  protocol: z.enum(poolProtocols),
  protocol_port: PortNumber,
  /** Default: the frontend protocol, or HTTP with TLS termination. */
  backend_protocol: z.enum(poolProtocols).optional(),
  /** Default: 80 for HTTP, 443 for HTTPS, otherwise the frontend port. */
  backend_protocol_port: PortNumber.optional(),
  tls_enabled: z.boolean().default(false),
})
type Draft = z.infer<typeof Draft>

/** Returns the forwarding type of a draft, with defaults filled in. */
export const forwardingOf = ({ protocol, backend_protocol, tls_enabled }: Draft) => ({
  protocol,
  backend_protocol: backend_protocol ?? (tls_enabled ? 'HTTP' : protocol),
  tls_enabled,
})

function draftFaults(it: Draft): PoolFault[] {
  const forwarding = forwardingOf(it)
  if (!isForwarding(forwarding)) {
    const field = forwarding.tls_enabled && it.protocol !== 'HTTPS' ? 'tls_enabled' : 'backend_protocol'
    const message = says('loadBalancing.unknown_forwarding')
    return [{ field, message }]
  }
  const missing = (['certificate', 'private_key'] as const)
    .filter((field) => forwarding.tls_enabled && it[field] === undefined)
    .map((field) => ({ field, message: says('loadBalancing.termination_needs_certificate') }))
  return [...missing, ...poolFaults(forwarding, it)]
}
const told = (faults: readonly PoolFault[], context: z.RefinementCtx, at: readonly (string | number)[] = []) => {
  for (const { field, message } of faults)
    context.addIssue({ code: 'custom', path: [...at, ...field.split('.')], message })
}

/** A pool that is created together with its load balancer. */
export const NewPoolDraft = Draft.superRefine((it, context) => told(draftFaults(it), context))
export type NewPoolDraft = z.infer<typeof NewPoolDraft>

export const PoolDraft = Draft.extend({ loadbalancer_id: Id })
  .superRefine((it, context) => told(draftFaults(it), context))
  .meta({
    examples: [
      { loadbalancer_id: someId('load_balancer'), protocol: 'HTTP', protocol_port: 80 },
      {
        ...{ loadbalancer_id: someId('load_balancer'), protocol: 'TCP', protocol_port: 5432 },
        healthmonitor: { type: 'TCP' },
      },
    ],
  })
export type PoolDraft = z.infer<typeof PoolDraft>

/** Pools of one load balancer. Their ports must not conflict. */
export const NewPools = z.array(NewPoolDraft).superRefine((pools, context) => {
  for (const [at, pool] of pools.entries())
    if (pools.slice(0, at).some((other) => portsConflict(other, pool)))
      context.addIssue({ code: 'custom', path: [at, 'protocol_port'], message: says('loadBalancing.port_taken') })
})

/** Lists, the health check and headers are replaced as a whole. Protocols and ports cannot be changed. */
export const PoolChange = z
  .strictObject({ ...Settings, tls_enabled: z.boolean() })
  .partial()
  .meta({ examples: [{ description: 'for the shop' }, { enabled: false }] })
export type PoolChange = z.infer<typeof PoolChange>

/** Later than any expiration date. */
const NEVER_MS = 1e15

export const poolKind = kind({
  name: 'lb_pool',
  entity: LoadBalancerPool,
  visibility: 'project',
  status: 'status',
  filters: [
    'id',
    'name',
    'status',
    { name: 'loadbalancer_id', type: 'id' },
    'enabled',
    'protocol',
    'backend_protocol',
    'lb_algorithm',
    { name: 'member_address', path: 'derived.addresses', type: 'tags', addresses: true },
    { name: 'instance_id', path: 'derived.instances', type: 'tags' },
    'project_id',
    'domain_id',
  ],
  sortKeys: [
    ...(['name', 'status', 'protocol_port', 'created_at'] as const),
    { name: 'certificate_ends', path: 'derived.certificate_ends', type: 'number' },
  ],
  search: ['name', 'id', 'loadbalancer_name'],
  derive: {
    version: 3,
    from: (pool) => ({
      addresses: pool.members.map(({ address }) => address),
      instances: pool.members.flatMap(({ instance_id }) => instance_id ?? []),
      // pools without a certificate come last
      certificate_ends: Date.parse(firstToExpire(pool)?.not_after ?? '') || NEVER_MS,
    }),
  },
  permissions: { collection: 'compute_lb_pools', item: 'compute_lb_pool' },
})

export const loadBalancerPools = endpoints(
  crud(poolKind, {
    path: '/api/v2/compute/lbaas/pools',
    called: ['a load balancer pool', 'load balancer pools'],
    draft: PoolDraft,
    change: PoolChange,
    delete: true,
    summaries: { update: 'Update a load balancer pool, its members or its health check' },
  }),
)
