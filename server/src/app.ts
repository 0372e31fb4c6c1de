import { says, type RuleText } from '@mainstay/contract/core/said'
import { timingSafeEqual } from 'node:crypto'
import type https from 'node:https'
import { hostname } from 'node:os'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isServedAt, type Panel } from '@mainstay/contract/panels'
import { endpointsAt } from '@mainstay/contract/resources'
import { openApi } from '@mainstay/contract/core/openapi'
import { notFound, problem, problemOf } from '@mainstay/contract/core/problems'
import type { Log } from '@mainstay/engines/ports/records'
import { authenticate } from './http/callers'
import { docsPage, docsStyle } from './http/docs-page'
import { createServer, createServerGates, stripPrefixOfUpgrades } from './http/fastify-server'
import { limitsAt, type Limits } from './limits'
import { refuseForgery } from './http/addresses/origin'
import { takeOne } from './http/overload/rates'
import { createCallGates, registerRoutes, unknownCall } from './http/routes'
import { sendJson, sendJsonText } from './http/send-json'
import { staticFiles } from './http/static-files'
import { registerLanding } from './areas/identity/sign-in/sso-callback'
import { createS3Turns, registerS3Proxy } from './areas/object-storage/s3-proxy'
import { createMetrics } from './metrics/metrics'
import { allRoutes } from './modules'
import { createInstanceConsole, refuseUpgrade } from './proxies/instance-console'
import { createForwarding } from './proxies/s3/forward'
import { createRecentSessions } from './session/recent-sessions'
import { hashToken } from './session/tokens'
import type { Tools } from './tools'

export interface AppOptions {
  /** PEM certificate and key; null: serve plain HTTP. */
  tls: { cert: string; key: string } | null
  /** Addresses and CIDR ranges of trusted reverse proxies. */
  proxies: readonly string[]
  /** Host names to accept in addition to the machine's own; null: accept any. */
  hosts: readonly string[] | null
  /** Self-service port. Distinguishes several servers on one host in metrics. 0: any free port. */
  port: number
  /** Rate limit per token, in requests per second. */
  callsPerSecond: number
  /** Overrides the default limits in tests. */
  limits?: Limits
  /** Bearer token for scraping `/metrics`; null: only operators can read it. */
  metricsToken: string | null
  /** URL of the operators' Grafana dashboards; null if not configured. */
  grafanaUrl: string | null
  /** Folder with the built console. */
  consoleFolder: string
  checkReplies: boolean
  uploadTimeoutMs?: number
}

export interface App {
  selfService: FastifyInstance
  admin: FastifyInstance
  /** Tells browsers that the server is stopping, then closes their sockets. Requests in progress continue. */
  closeSockets(): Promise<void>
}

/** Paths for programs. Unknown paths below them get a JSON error, never the console page. */
const forPrograms = /^\/(api|websockify|s3proxy|prometheus|grafana|health|ready|metrics)(\/|$)/
const CONSOLES = '/websockify'
/** Gives the last messages time to reach clients before their sockets are closed. */
const LAST_WORDS_MS = 50

/** Creates both HTTP servers: the tenant portal, and the admin panel, which serves all calls. */
export function createApp(tools: Tools, options: AppOptions): App {
  const limits = options.limits ?? limitsAt(options.callsPerSecond)
  const serverGates = createServerGates(limits, options)
  const gates = createCallGates(limits)
  const forwarding = createForwarding()
  const s3Turns = createS3Turns()
  const recentSessions = createRecentSessions(tools.sessions)
  const consoles = createInstanceConsole(tools, limits.sockets.consolesOfUser)
  const metrics = createMetrics({
    revision: () => tools.inventory.revision(),
    unreadable: () => tools.inventory.unreadable(),
    jobs: () => tools.health.jobs(),
    sockets: () => tools.hub.socketCounts(),
    consoles: () => consoles.count(),
    engines: () => tools.engineStates.all(),
    samples: () => tools.figures.waiting(),
  })
  tools.figures.sampling.add(metrics.sampler(`${hostname()}:${options.port}`))
  const files = staticFiles(options.consoleFolder)
  const documentOf = (panel: Panel) =>
    once(() => {
      const document = openApi(endpointsAt(panel), { title: 'Mainstay', version: tools.version.version })
      return { text: JSON.stringify(document), page: docsPage(document) }
    })

  function panelServer(panel: Panel): FastifyInstance {
    const app = createServer({
      tls: options.tls,
      proxies: options.proxies,
      parents: panel === 'self-service' ? tools.config.parentOrigins : [],
      log: tools.log,
      gates: serverGates,
      onAnswered(answered) {
        metrics.observeRequest(answered)
        logAnswer(tools.log, answered)
      },
    })
    registerRoutes(app, allRoutes, tools, { ...options, gates, panel })
    registerLanding(app, tools, panel)
    registerS3Proxy(app, tools, {
      ...(options.uploadTimeoutMs !== undefined && { idleMs: options.uploadTimeoutMs }),
      ...{ panel, ofToken: gates.ofToken, sessions: recentSessions, forwarding, turns: s3Turns },
    })
    addOwnRoutes(app, panel)
    app.setNotFoundHandler((request, reply) => otherwise(request, reply, panel))
    stripPrefixOfUpgrades(app)
    app.server.on('upgrade', (request, socket, head) => {
      try {
        serverGates.peers.dropUntrusted(request)
        serverGates.hosts.check(request)
        refuseForgery({ headers: request.headers, unsafe: true, byCookie: false })
        const from = request.socket.remoteAddress ?? ''
        if (!serverGates.peers.isProxy(from)) takeOne(serverGates.ofAddress, from, 'address')
      } catch (error) {
        return refuseUpgrade(socket, error)
      }
      const path = (request.url ?? '/').split('?')[0]!
      if (path === CONSOLES) consoles.upgrade(request, socket, head)
      else if (tools.hub.owns(path)) tools.hub.upgrade(request, socket, head, panel)
      else refuseUpgrade(socket, problem('core.unknown_call'))
    })
    return app
  }

  function addOwnRoutes(app: FastifyInstance, panel: Panel): void {
    const documents = documentOf(panel)
    app.get('/health', (_, reply) => sendJson(reply.header('cache-control', 'no-store'), { status: 'live' }))

    app.get('/ready', async (_, reply) => {
      const parts = await tools.platformParts.all()
      const database = parts.some(({ name, reachable }) => name === 'database' && reachable)
      // the reasons name hosts and folders, which only operators may see
      const told = panel === 'admin' ? parts : parts.map((part) => ({ ...part, message: null }))
      void reply.code(database ? 200 : 503).header('cache-control', 'no-store')
      return sendJson(reply, { status: database ? 'ready' : 'not ready', parts: told })
    })

    app.get('/metrics', async (request, reply) => {
      if (panel !== 'admin') throw problem('core.unknown_call')
      await permitFigures(request)
      return reply.header('content-type', metrics.contentType).send(await metrics.text())
    })

    // the operators' dashboards have their own sign-in
    app.get('/grafana/login', async (request, reply) => {
      if (panel !== 'admin') throw unknownCall(request.method)
      await permitOperator(request, says('monitoring.dashboards_of_operators'))
      if (options.grafanaUrl === null) throw problem('core.no_dashboards')
      return reply.header('cache-control', 'no-store').redirect(`${options.grafanaUrl}/login`, 302)
    })

    app.get('/api/v2/openapi.json', (_, reply) => sendJsonText(reply, documents().text))
    app.get('/api/v2/docs', (request, reply) =>
      reply
        .header('content-type', 'text/html; charset=utf-8')
        .send(documents().page.replaceAll('{{mounted}}', request.mountedAt)),
    )
    app.get('/api/v2/docs/style.css', (_, reply) =>
      reply.header('content-type', 'text/css; charset=utf-8').send(docsStyle),
    )
  }

  /** Allows operators, and clients with the configured token. The source address is irrelevant. */
  async function permitFigures(request: FastifyRequest): Promise<void> {
    const [, bearer] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? []
    const { metricsToken } = options
    if (bearer !== undefined && metricsToken !== null && isSameText(bearer, metricsToken)) return
    await permitOperator(request, says('monitoring.metrics_of_operators'))
  }

  async function permitOperator(request: FastifyRequest, otherwise: RuleText): Promise<void> {
    await authenticate(request, { verb: 'GET', needs: 'signed-in' }, tools, gates.ofToken, 'admin')
    if (request.caller?.scope.kind !== 'system') throw problemOf(otherwise)
  }

  /**
   * Handles requests without a route: responds to OPTIONS, serves console files, and falls back to the console page.
   */
  async function otherwise(request: FastifyRequest, reply: FastifyReply, panel: Panel): Promise<FastifyReply> {
    const path = request.url.split('?')[0]!
    if (request.method === 'OPTIONS') {
      const verbs = verbsOf(path, panel)
      if (verbs.length > 0)
        return reply
          .code(204)
          .header('allow', ['OPTIONS', ...verbs].join(', '))
          .send()
    }
    const reads = request.method === 'GET' || request.method === 'HEAD'
    if (!reads || forPrograms.test(path)) throw unknownCall(request.method)
    let plain: string
    try {
      plain = decodeURIComponent(path)
    } catch {
      throw problem('core.unreadable_address')
    }
    if (await files.sendFile(request, reply, plain)) return reply
    if (!plain.startsWith('/assets/') && (await files.sendPage(request, reply, panel))) return reply
    throw notFound()
  }

  const [selfService, admin] = [panelServer('self-service'), panelServer('admin')]
  // existing connections keep the certificate that they were opened with
  if (options.tls)
    tools.certificate.onChange((pair) => {
      for (const { server } of [selfService, admin]) (server as unknown as https.Server).setSecureContext(pair)
    })

  return {
    selfService,
    admin,
    async closeSockets() {
      tools.hub.aboutToStop()
      consoles.close()
      await new Promise((resolve) => setTimeout(resolve, LAST_WORDS_MS))
      await tools.hub.close()
    },
  }
}

/** Compares in constant time. */
const isSameText = (one: string, other: string): boolean => timingSafeEqual(hashToken(one), hashToken(other))

const patterns = allRoutes.map(({ endpoint }) => ({
  endpoint,
  pattern: new RegExp(`^${endpoint.path.replace(/:\w+/g, '[^/]+')}/?$`),
}))

/** HTTP methods that a panel serves at a path. */
function verbsOf(path: string, panel: Panel): string[] {
  const verbs = patterns
    .filter(({ pattern, endpoint }) => pattern.test(path) && isServedAt(panel, endpoint))
    .map(({ endpoint: { verb } }) => verb)
  const all = verbs.flatMap((verb) => (verb === 'GET' ? ['GET', 'HEAD'] : verb === 'PATCH' ? ['PATCH', 'PUT'] : [verb]))
  return [...new Set<string>(all)]
}

function logAnswer(log: Log, { seconds, ...answered }: { seconds: number; route: string; status: number }): void {
  const fields = { ...answered, ms: Math.round(seconds * 1000) }
  // probes and scrapers call these every few seconds
  const quiet = ['/health', '/ready', '/metrics'].includes(answered.route)
  if (quiet) log.debug(fields, 'answered')
  else log.info(fields, 'answered')
}

/** Calls `make` on first use and caches the result, so that rarely needed documents do not slow down startup. */
function once<Made extends object>(make: () => Made): () => Made {
  let made: Made | undefined
  return () => (made ??= make())
}
