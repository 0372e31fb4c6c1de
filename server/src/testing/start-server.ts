import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import {
  fillPath,
  type BodyInputOf,
  type Endpoint,
  type GivenParams,
  type QueryInputOf,
  type ReplyOf,
} from '@mainstay/contract/core/endpoint'
import { dropEmpty } from '@mainstay/contract/core/lists/filters'
import { Problem, problemStatus, type ProblemBody, type ProblemCode } from '@mainstay/contract/core/problems'
import { session } from '@mainstay/contract/identity/session'
import { isServedAt, type Panel } from '@mainstay/contract/panels'
import { planEngines } from '@mainstay/engines/compose'
import type { Ceph } from '@mainstay/engines/ceph/ceph'
import type { Hosts } from '@mainstay/engines/hosts/hosts'
import type { EngineSettings, Sql } from '@mainstay/engines/ports/engines'
import type { Log } from '@mainstay/engines/ports/records'
import { createApp } from '../app'
import type { Limits } from '../limits'
import { readConfig } from '../config'
import { engineSettings } from '../engines/settings'
import { openTools } from '../open-tools'
import { noStore, type MetricsStore } from '../metrics/store/metrics-store'
import type { RecentLog } from '../reports/recent-log'
import { sqlOf } from '../session/sql'
import { openStore } from '../store/store'
import type { Tools } from '../tools'
import { isOperator, PASSWORD, seedPersonas, type Personas, type Persona, type PersonaName } from './personas'
import { testDatabase } from './postgres/postgres'
import { copyStarted, canStartFromCopy } from './postgres/started'
import { silentLogger } from './silent-logger'

export interface StartOptions {
  world?: 'empty' | 'demo' | 'busy' | 'degraded'
  hypervisor?: 'simulated' | 'qemu'
  /** Additional environment variables, as read by `config.ts`. */
  environment?: Record<string, string>
  log?: Log
  /** Keeps the last lines written to `log`. */
  recentLog?: RecentLog
  onEngineLost?: () => void
  uploadTimeoutMs?: number
  /** Replaces the default limits. */
  limits?: Limits
  /** Delays of simulated virtual machines in milliseconds; close to zero by default. */
  delays?: EngineSettings['delays']
  /** Store for metrics; none by default. The caller closes it. */
  metricsStore?: MetricsStore
  /** Connects to hosts. By default, hosts are not read. */
  hosts?: Hosts
  /** The attached Ceph cluster. By default, there is none. */
  ceph?: Ceph
  /** Factor by which polling of a cloud and sampling of metrics are sped up. */
  pace?: number
  /** Data folder and database of an earlier server, which outlive this one. */
  keep?: { folder: string; databaseUrl: string }
  /** The existing cast. By default, it is looked up, and missing parts are created. */
  cast?: Personas
}

export interface CallOptions<E extends Endpoint> {
  /** A user of the cast (in their usual scope) or a token; anonymous by default. */
  as?: PersonaName | { token: string }
  /**
   * The panel whose port is used. By default, the admin panel for operators in the cast and for calls that exist only
   * there, otherwise the portal.
   */
  at?: Panel
  params?: GivenParams<E>
  query?: QueryInputOf<E> | Record<string, unknown>
  body?: BodyInputOf<E>
  headers?: Record<string, string>
}

export interface TestServer {
  /** URL of the self-service panel, without a trailing slash. */
  url: string
  adminUrl: string
  tools: Tools
  cast: Personas
  folder: string
  /** The server's database, for inspecting internal state. */
  sql: Sql
  databaseUrl: string
  /** Makes a call as a program would. Throws a `Problem` for an error response. */
  call<E extends Endpoint>(endpoint: E, options?: CallOptions<E>): Promise<ReplyOf<E>>
  /** Like `call`, but returns the unread response, for its status, headers and bytes. */
  fetch<E extends Endpoint>(endpoint: E, options?: CallOptions<E>): Promise<Response>
  /** Token of a user in their usual scope: for a project, or unscoped. Repeated calls return the same token. */
  signIn(who: PersonaName): Promise<string>
  /** Like `signIn`, with a new session. Forgets all cached tokens, which may have been revoked. */
  signInAnew(who: PersonaName): Promise<string>
  /** Starts a new session and returns its unscoped token. */
  login(who: Persona): Promise<string>
  close(): Promise<void>
}

const instantly = { start: 0, shutdown: 10, suspend: 0, quick: 0, copy: 0 }

/** Starts the whole server on free loopback ports, with its own database and simulated virtual machines. */
export async function startServer(options: StartOptions = {}): Promise<TestServer> {
  const { world = 'empty', hypervisor = 'simulated', log = silentLogger, keep } = options
  const folder = keep?.folder ?? (await mkdtemp(path.join(tmpdir(), 'mainstay-')))
  const isCopied =
    !keep && !options.cast && world === 'empty' && hypervisor === 'simulated' && canStartFromCopy(options.environment)
  const started = isCopied ? await copyStarted((kept) => startServer({ keep: kept }), folder) : null
  const database = keep ? null : (started?.database ?? (await testDatabase()))
  const config = readConfig({
    MAINSTAY_DATA: folder,
    MAINSTAY_PORT: '0',
    MAINSTAY_ADMIN_PORT: '0',
    MAINSTAY_S3_PORT: options.environment?.['MAINSTAY_ENGINE'] === 'openstack' ? 'none' : '0',
    MAINSTAY_WORLD: world,
    MAINSTAY_HYPERVISOR: hypervisor,
    MAINSTAY_ADMIN_PASSWORD: PASSWORD,
    MAINSTAY_CALLS_PER_SECOND: '100000',
    DATABASE_URL: keep?.databaseUrl ?? database!.url,
    ...options.environment,
  })
  const plan = planEngines({
    ...engineSettings(config, options.limits),
    ...{ onFirstStart: () => undefined, delays: options.delays ?? instantly },
    passwordCost: { memoryKiB: 8, passes: 1 },
    ...(options.pace && { pace: options.pace }),
  })
  const store = await openStore({ databaseUrl: config.databaseUrl, dataFolder: folder, log })
  const opened = await openTools({
    config,
    log,
    store,
    version: { version: '0.0.0', release: 'test release', build: 'test' },
    plan,
    metricsStore: options.metricsStore ?? noStore('A spec needs no figures'),
    ...(options.hosts && { hosts: options.hosts }),
    ...(options.ceph && { ceph: options.ceph }),
    ...(options.recentLog && { recentLog: options.recentLog }),
    ...(options.pace && { pace: options.pace }),
    ...(options.onEngineLost && { onEngineLost: options.onEngineLost }),
  })
  const cast =
    options.cast ??
    started?.cast ??
    (await seedPersonas(opened.tools.identity).catch(async (error: unknown) => {
      await opened.close()
      throw error
    }))
  const { tools } = opened
  const app = createApp(tools, {
    ...config,
    tls: null,
    consoleFolder: config.consoleFolder ?? path.resolve('console/dist'),
    checkReplies: true,
    ...(options.limits && { limits: options.limits }),
    ...(options.uploadTimeoutMs !== undefined && { uploadTimeoutMs: options.uploadTimeoutMs }),
  })
  for (const one of [app.selfService, app.admin]) await one.listen({ host: '127.0.0.1', port: 0 })
  const [url, adminUrl] = [app.selfService, app.admin].map(
    ({ server }) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  ) as [string, string]

  /** Domain for paths that require one if none is given: the caller's domain. */
  function domainOf(as: PersonaName | { token: string } | undefined): string {
    const persona = typeof as === 'string' ? (as.split('@')[0] as Persona) : null
    return persona ? cast.people[persona].domain.id : 'default'
  }

  /** The panel whose port a call is sent to. */
  const portFor = (endpoint: Endpoint, as: PersonaName | { token: string } | undefined): Panel =>
    (typeof as === 'string' && isOperator(as)) || !isServedAt('self-service', endpoint) ? 'admin' : 'self-service'

  async function request<E extends Endpoint>(
    endpoint: E,
    { as, at = portFor(endpoint, as), params, query, body, headers }: CallOptions<E>,
  ) {
    const token = as === undefined ? null : typeof as === 'object' ? as.token : await signIn(as)
    const search = new URLSearchParams(dropEmpty(query ?? {})).toString()
    const place = fillPath(endpoint.path, { domain_id: domainOf(as), ...params })
    return fetch(`${at === 'admin' ? adminUrl : url}${place}${search === '' ? '' : `?${search}`}`, {
      method: endpoint.verb,
      headers: {
        ...(token !== null && { 'x-auth-token': token }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  }

  async function call<E extends Endpoint>(endpoint: E, callOptions: CallOptions<E> = {}): Promise<ReplyOf<E>> {
    const response = await request(endpoint, callOptions)
    const text = await response.text()
    if (response.ok) return (text === '' ? undefined : JSON.parse(text)) as ReplyOf<E>
    const { error } = JSON.parse(text) as ProblemBody
    const code = error.err_code in problemStatus ? (error.err_code as ProblemCode) : 'unknown'
    throw new Problem(code, error.message, { fields: error.fields, data: error.data })
  }

  const login = async (who: Persona): Promise<string> => {
    const { user, domain } = cast.people[who]
    const body = { username: user.name, password: PASSWORD, domain: domain.name }
    return (await call(session.login, { body })).token!
  }

  const tokens = new Map<PersonaName, Promise<string>>()
  const enter = async (who: PersonaName): Promise<string> => {
    const [persona, projectName] = who.split('@') as [Persona, string | undefined]
    const token = await login(persona)
    const project = projectName ? cast.projects[projectName] : cast.people[persona].project
    if (projectName && !project) throw new Error(`there is no project "${projectName}" in the cast`)
    if (!project) return token
    return (await call(session.enterProject, { as: { token }, params: { id: project.id } })).token
  }
  const signIn = (who: PersonaName): Promise<string> => {
    const token = tokens.get(who) ?? enter(who)
    tokens.set(who, token)
    return token
  }

  return {
    url,
    adminUrl,
    tools,
    cast,
    folder,
    sql: sqlOf(store.db),
    databaseUrl: config.databaseUrl!,
    call,
    fetch: (endpoint, callOptions = {}) => request(endpoint, callOptions),
    signIn,
    signInAnew(who) {
      tokens.clear()
      return signIn(who)
    },
    login,
    async close() {
      await app.closeSockets()
      for (const { server } of [app.selfService, app.admin]) server.closeAllConnections()
      await Promise.all([app.selfService.close(), app.admin.close()])
      await opened.close()
      await database?.drop()
      if (!keep) await rm(folder, { recursive: true, force: true })
    },
  }
}
