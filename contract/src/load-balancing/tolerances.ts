import { booleans, each, inside, numbers, pem, words, type CallTolerances, type Rewrite } from '../core/tolerance'
import { insertableHeaders } from './forwarding'
import { loadBalancers } from './load-balancers'
import { loadBalancerPools } from './pools'

/** Enables TLS termination for a pool with a certificate if HTTPS is forwarded as HTTP. */
const tlsEnds: Rewrite = (pool) =>
  pool['protocol'] === 'HTTPS' && pool['backend_protocol'] === 'HTTP' && typeof pool['certificate'] === 'string'
    ? { ...pool, tls_enabled: true }
    : pool

const udp = { 'UDP-CONNECT': 'UDP' }
const poolOfBalancer: readonly Rewrite[] = [
  numbers('connection_limit'),
  booleans('enabled', 'sticky_session', 'tls_enabled', 'proxy_protocol_enabled'),
  words('protocol', udp),
  words('backend_protocol', udp),
  inside('insert_headers', booleans(...insertableHeaders)),
  inside(
    'healthmonitor',
    words('type', { UDP: 'UDP-CONNECT' }),
    numbers('delay', 'timeout', 'max_retries', 'max_retries_down'),
    booleans('enabled'),
  ),
  each('members', numbers('weight'), booleans('enabled')),
  pem('certificate', 'private_key', 'client_ca'),
  each('sni_certificates', pem('certificate', 'private_key')),
  tlsEnds,
]

export const loadBalancingTolerances: CallTolerances = [
  [
    loadBalancers.create,
    { body: [numbers('ip_version'), booleans('enabled', 'ha_enabled'), each('pools', ...poolOfBalancer)] },
  ],
  [loadBalancers.update, { body: [booleans('enabled')] }],
  ...[loadBalancerPools.create, loadBalancerPools.update].map((call) => [call, { body: poolOfBalancer }] as const),
]
