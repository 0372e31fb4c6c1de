import { createHash } from 'node:crypto'
import { bare, versionOf } from '../addresses'
import { balancerSpaceOf } from '../names'
import type { WantedBalancer, WantedMember, WantedMonitor, WantedPool } from '../wanted-balancers'
import { isPair, pairAddresses } from './balancers'
import { alivePort, pairPlan } from './pairs'
import { userPlace, type BackendPlan, type BalancerPlan, type ServerPlan } from './plan'

/*
 * The HAProxy configuration of a load balancer. Frontends and backends are named after pools, and servers after
 * members, so that reported states can be mapped to records. UDP pools have only a backend, for health checks; HAProxy
 * does not forward their traffic.
 */

export const sockets = { master: 'master.sock', stats: 'stats.sock' }
export const stateFile = 'state'
export const frontendOf = (poolId: string) => `in-${poolId}`
export const backendOf = (poolId: string) => `to-${poolId}`

/** Seconds until connections that still use a previous configuration are closed. */
const endsWithin = 60
/** Maximum number of check programs started per second: each ping or UDP check starts one. */
const mostProgramsASecond = 20

/** Returns the plan of one HAProxy for each amphora of the load balancer. */
export const balancerPlans = (balancer: WantedBalancer): BalancerPlan[] =>
  balancer.amphoraIds.map((amphoraId, at) => balancerPlan(balancer, amphoraId, at))

function balancerPlan(balancer: WantedBalancer, amphoraId: string, at: number): BalancerPlan {
  const { pools } = balancer
  const asked = pools.flatMap((pool) => (byProgram(pool.monitor) ? [...pool.members, ...pool.down] : []))
  const least = Math.ceil(asked.length / mostProgramsASecond)
  const programs: Record<string, string> = {}
  for (const { monitor } of pools)
    if (monitor && byProgram(monitor)) programs[programOf(monitor)] = programText(monitor)
  const backends = pools.map((pool) => backendPlan(pool, least))
  const parts = pools.map((pool, at) => ({
    lines: [...(pool.mode === 'udp' ? [] : frontend(pool, bare(balancer.address))), ...backend(pool, balancer)],
    backend: backends[at]!,
  }))
  const global = [
    ...common(
      pools.some(({ monitor }) => byProgram(monitor)),
      at,
    ),
    ...(isPair(balancer) ? [...peers(pairAddresses), ...aliveFrontend] : peers(['127.0.0.1'])),
  ]
  const clients = Object.fromEntries(pools.flatMap((pool) => Object.entries(clientCaFiles(pool))))
  const fixed = parts.map(({ lines, backend: { words } }) => [...lines, words])
  const skeleton = shortOf(JSON.stringify([global, fixed, programs, clients]))
  const config = [
    ...['global', `  description ${skeleton}`, ...global],
    ...parts.flatMap(({ lines, backend: its }) => [...lines, ...serverLines(its)]),
    '',
  ].join('\n')
  const certificates = Object.fromEntries(pools.flatMap((pool) => Object.entries(certificateFiles(pool))))
  return {
    ...{ id: balancer.id, amphoraId, space: balancerSpaceOf(amphoraId), pair: pairPlan(balancer, at) },
    ...{ programs, skeleton, backends, certificates },
    files: { ...clients, ...certificates, config },
  }
}

const common = (asksByProgram: boolean, at: number): string[] => [
  userPlace,
  `  stats socket unix@${sockets.stats} mode 600 level admin expose-fd listeners`,
  '  stats timeout 1m',
  `  hard-stop-after ${endsWithin}s`,
  '  fd-hard-limit 20000',
  '  no strict-limits',
  '  nbthread 1',
  `  localpeer ${peerOf(at)}`,
  `  server-state-file ${stateFile}`,
  '  ssl-default-bind-options ssl-min-ver TLSv1.2',
  '  ssl-server-verify none',
  '  tune.ssl.default-dh-param 2048',
  ...(asksByProgram ? ['  external-check', '  insecure-fork-wanted', '  insecure-setuid-wanted'] : []),
  'defaults',
  '  timeout connect 5s',
  '  timeout client 50s',
  '  timeout server 50s',
  '  timeout http-request 10s',
  '  timeout http-keep-alive 10s',
  '  timeout queue 30s',
  '  timeout tunnel 1h',
  '  timeout client-fin 30s',
  '  option redispatch 1',
  '  retries 3',
  '  option dontlognull',
  '  default-server init-addr last,libc,none',
  '  load-server-state-from-file global',
]

const peerOf = (at: number) => `balancer${at}`
/** Shares the stick tables with the next process after a reload, and with the peer in a pair. */
const peers = (addresses: readonly string[]) => [
  'peers kept',
  ...addresses.map((address, at) => `  peer ${peerOf(at)} ${address}:65535`),
]
/** Tells keepalived whether HAProxy is serving. */
const aliveFrontend = ['frontend alive', '  mode http', `  bind 127.0.0.1:${alivePort}`, '  monitor-uri /']

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
const shortOf = (id: string) => createHash('sha256').update(id).digest('hex').slice(0, 12)

const certificateOf = ({ id }: WantedPool) => `certificate-${shortOf(id)}.pem`
const clientCaOf = ({ id }: WantedPool) => `clients-${shortOf(id)}.pem`

const sniCertificateOf = ({ id }: WantedPool, fingerprint: string) =>
  `certificate-${shortOf(`${id} ${fingerprint}`)}.pem`

const pairText = (pair: { certificate: string; key: string }) => `${pair.certificate.trim()}\n${pair.key.trim()}\n`

/** Returns the certificate files by name. The first is the default if SNI matches none of them. */
const certificateFiles = (pool: WantedPool): Record<string, string> =>
  pool.tls === null
    ? {}
    : {
        [certificateOf(pool)]: pairText(pool.tls),
        ...Object.fromEntries(pool.tls.sni.map((one) => [sniCertificateOf(pool, one.fingerprint), pairText(one)])),
      }

const clientCaFiles = (pool: WantedPool): Record<string, string> =>
  pool.tls === null || !asksClients(pool)
    ? {}
    : { [clientCaOf(pool)]: `${(pool.tls.clientCa ?? pool.tls.certificate).trim()}\n` }

const ofClients: Record<string, string> = {
  'X-SSL-Client-Verify': '%[ssl_c_verify]',
  'X-SSL-Client-Has-Cert': '%[ssl_c_used]',
  'X-SSL-Client-DN': '%{+Q}[ssl_c_s_dn]',
  'X-SSL-Client-CN': '%{+Q}[ssl_c_s_dn(cn)]',
  'X-SSL-Issuer': '%{+Q}[ssl_c_i_dn]',
  'X-SSL-Client-SHA1': '%[ssl_c_sha1,hex]',
  'X-SSL-Client-Not-Before': '%{+Q}[ssl_c_notbefore]',
  'X-SSL-Client-Not-After': '%{+Q}[ssl_c_notafter]',
}
const asksClients = ({ headers }: WantedPool) => headers.some((name) => name in ofClients)

function frontend(pool: WantedPool, own: string): string[] {
  const place = versionOf(own) === 4 ? own : `[${own}]`
  // members authorize clients by these headers, so clients with a missing or untrusted certificate are accepted
  const clients = asksClients(pool)
    ? ` ca-file ${clientCaOf(pool)} verify optional crt-ignore-err all ca-ignore-err all`
    : ''
  const shown = Object.keys(certificateFiles(pool)).map((name) => ` crt ${name}`)
  const tls = pool.tls === null ? '' : ` ssl${shown.join('')} alpn h2,http/1.1${clients}`
  return [
    `frontend ${frontendOf(pool.id)}`,
    `  mode ${pool.mode}`,
    `  bind ${place}:${pool.port}${tls}`,
    ...(pool.connectionLimit === null ? [] : [`  maxconn ${pool.connectionLimit}`]),
    ...(pool.mode === 'http' ? ['  option idle-close-on-response', ...headerLines(pool)] : []),
    `  default_backend ${backendOf(pool.id)}`,
  ]
}

const headerLines = (pool: WantedPool): string[] =>
  pool.headers.flatMap((name) => {
    if (name === 'X-Forwarded-For') return ['  option forwardfor']
    if (name === 'X-Forwarded-Port') return [`  http-request set-header ${name} %[dst_port]`]
    if (name === 'X-Forwarded-Proto')
      return [`  http-request set-header ${name} ${pool.tls === null ? 'http' : 'https'}`]
    return name in ofClients ? [`  http-request set-header ${name} ${ofClients[name]}`] : []
  })

const balances = { least: ['leastconn'], round: ['roundrobin'], source: ['source', 'hash-type consistent'] }

/** Returns the backend section without its servers. */
function backend(pool: WantedPool, { address }: WantedBalancer): string[] {
  const [balance, ...more] = balances[pool.algorithm]
  const kind = versionOf(bare(address)) === 4 ? 'ip' : 'ipv6'
  const { monitor } = pool
  return [
    `backend ${backendOf(pool.id)}`,
    `  mode ${pool.mode === 'http' ? 'http' : 'tcp'}`,
    `  balance ${balance}`,
    ...more.map((line) => `  ${line}`),
    // derived from the member address, so that members added at runtime have a cookie value too
    ...(sticksByCookie(pool)
      ? [
          `  cookie BALANCER insert indirect nocache httponly dynamic${pool.tls === null ? '' : ' secure'}`,
          `  dynamic-cookie-key ${shortOf(`cookie ${pool.id}`)}`,
        ]
      : []),
    ...(pool.sticky && pool.mode === 'tcp'
      ? [`  stick-table type ${kind} size 100k expire 30m peers kept`, '  stick on src']
      : []),
    ...(monitor ? checkLines(monitor, bare(address)) : []),
  ]
}

const sticksByCookie = ({ sticky, mode }: WantedPool) => sticky && mode === 'http'

const byId = (one: WantedMember, other: WantedMember) => (one.id < other.id ? -1 : 1)

function checkLines({ type, path, timeout, ...rest }: WantedMonitor, own: string): string[] {
  // the timeout applies to connecting as well
  const lines = [`  timeout check ${timeout}s`, `  timeout connect ${Math.min(5, timeout)}s`]
  if (type === 'http' || type === 'https') {
    const host = versionOf(own) === 4 ? own : `[${own}]`
    lines.push('  option httpchk', `  http-check send meth GET uri ${quoted(path)} ver HTTP/1.1 hdr Host ${host}`)
  }
  if (type === 'ping' || type === 'udp')
    lines.push(
      '  option external-check',
      '  external-check path /usr/sbin:/usr/bin:/sbin:/bin',
      `  external-check command ./${programOf({ type, path, timeout, ...rest })}`,
    )
  return lines
}

function backendPlan(pool: WantedPool, least: number): BackendPlan {
  const { monitor, memberPort: port } = pool
  const delay = monitor && byProgram(monitor) ? Math.max(monitor.delay, least) : (monitor?.delay ?? 0)
  const words = [
    ...(pool.proxyProtocol ? ['send-proxy-v2'] : []),
    ...(monitor ? [`check inter ${delay}s fall ${monitor.fall} rise ${monitor.rise}`] : []),
    ...(monitor?.type === 'https' ? ['check-ssl verify none'] : []),
  ].join(' ')
  // in a stable order, so that a member that goes down and recovers causes no reload
  const members = [...pool.members, ...pool.down].toSorted(byId)
  return {
    ...{ name: backendOf(pool.id), words, isAsked: monitor !== null, isAskedByProgram: byProgram(monitor) },
    sticksByCookie: sticksByCookie(pool),
    servers: new Map(members.map(({ id, address, weight }) => [id, { address: bare(address), port, weight }])),
  }
}

/** Returns the address of a server in the notation of HAProxy's configuration and socket. */
export const placeOf = ({ address, port }: ServerPlan) =>
  `${versionOf(address) === 4 ? address : `[${address}]`}:${port}`

const serverLines = ({ servers, words }: BackendPlan): string[] =>
  [...servers].map(([id, server]) => `  server ${id} ${placeOf(server)} weight ${server.weight} ${words}`.trimEnd())

const byProgram = (monitor: WantedMonitor | null): boolean => monitor?.type === 'ping' || monitor?.type === 'udp'
const programOf = ({ type, timeout }: WantedMonitor) => `${type}-${timeout}`

/**
 * Returns the script of a health check. HAProxy passes the address and port of the member as the third and fourth
 * argument; exit code 0 means healthy.
 */
const programText = ({ type, timeout }: WantedMonitor): string =>
  type === 'ping'
    ? `#!/bin/sh\nexec ping -n -q -c 1 -W ${timeout} "$3" >/dev/null 2>&1\n`
    : // the read fails at once if the port is closed; silence counts as healthy unless the host itself is gone
      `#!/bin/bash
exec 3<>"/dev/udp/$3/$4" && printf '\\0' >&3 || exit 1
read -r -n 1 -t ${Math.max(0.5, timeout - 0.3)} -u 3
[ $? -eq 1 ] && exit 1
case $(ip neigh show to "$3" 2>/dev/null) in *FAILED*|*INCOMPLETE*) exit 1;; esac
exit 0
`
