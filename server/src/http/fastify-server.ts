import type { IncomingMessage } from 'node:http'
import type https from 'node:https'
import type { Socket } from 'node:net'
import helmet from '@fastify/helmet'
import fastify, { type FastifyHttpsOptions, type FastifyInstance, type FastifyServerOptions } from 'fastify'
import type { Problem } from '@mainstay/contract/core/problems'
import { problem } from '@mainstay/contract/core/problems'
import { jsonFault } from '@mainstay/contract/core/unique-json'
import { createConnections, type Connections } from './connections'
import { hostsOf, type Hosts } from './addresses/hosts'
import type { Limits } from '../limits'
import { peersOf, type Peers } from './addresses/peers'
import { routedUrl, splitPrefix } from './addresses/prefix'
import { problemBody, replyProblem, type FaultLog } from './problem-replies'
import { createRates, takeOne, type Rates } from './overload/rates'
import { requestIdOf } from './request-ids'
import { securityHeaders } from './security-headers'
import { JSON_TYPE } from './send-json'
import { createUnfinishedBodies, type UnfinishedBodies } from './overload/unfinished-bodies'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body is a stream; the code that reads it monitors its progress. */
    takesBytes?: boolean
  }
}

export interface ServerOptions {
  /** Certificate and key, PEM; null serves plain HTTP. */
  tls: { cert: string; key: string } | null
  /** Addresses and networks of trusted proxies, whose forwarding headers are used. */
  proxies: readonly string[]
  /** Origins of external pages that may frame our embeddable pages. */
  parents: readonly string[]
  log: FaultLog
  gates: ServerGates
  onAnswered(answered: AnsweredRequest): void
}

/** Limits shared by requests to all servers. */
export interface ServerGates {
  limits: Limits
  peers: Peers
  hosts: Hosts
  connections: Connections
  unfinishedBodies: UnfinishedBodies
  ofAddress: Rates
}

export function createServerGates(
  limits: Limits,
  from: { proxies: readonly string[]; hosts: readonly string[] | null },
) {
  const peers = peersOf(from.proxies)
  return {
    limits,
    peers,
    hosts: hostsOf(from.hosts, peers),
    connections: createConnections(limits.connections, peers),
    unfinishedBodies: createUnfinishedBodies(limits.body),
    ofAddress: createRates(limits.rates.address),
  }
}

/** Fields logged for each request. Omits content and the query, which may contain a ticket. */
export interface AnsweredRequest {
  request_id: string
  method: string
  path: string
  route: string
  status: number
  seconds: number
  address: string
  user_id: string | null
}

const badRequest = (error: NodeJS.ErrnoException): { status: string; problem: Problem } => {
  if (error.code === 'HPE_HEADER_OVERFLOW')
    return {
      status: '431 Request Header Fields Too Large',
      problem: problem('core.headers_too_long'),
    }
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { status: '408 Request Timeout', problem: problem('core.request_timeout') }
  return { status: '400 Bad Request', problem: problem('core.not_http') }
}

/** Responds, directly on the socket, to input that is not a valid HTTP request. */
function answerGarbage(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy()
  const { status, problem } = badRequest(error)
  const body = JSON.stringify(problemBody(problem, requestIdOf({ headers: {} })))
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: ${JSON_TYPE}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

/** Health checks, which load balancers send every few seconds. */
const isProbe = (url: string | undefined) => url === '/health' || url === '/ready'

/** Creates an HTTP server with our limits, request IDs, headers and error responses, but without routes. */
export function createServer(options: ServerOptions): FastifyInstance {
  const { limits, peers, hosts, connections, unfinishedBodies, ofAddress } = options.gates
  const settings: FastifyServerOptions = {
    // applies to paths that are not calls; each call has its own limit
    bodyLimit: limits.body.publicBytes,
    // uploads may take any time; `withProgressTimeout` aborts stalled ones
    requestTimeout: 0,
    keepAliveTimeout: limits.connections.idleMs,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    trustProxy: options.proxies.length > 0 && [...options.proxies],
    genReqId: (request) => requestIdOf(request),
    rewriteUrl: (request) => routedUrl(request.url ?? '/'),
    clientErrorHandler: answerGarbage,
    frameworkErrors: (error, request, reply) => void replyProblem(error, request, reply, options.log),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1024 },
  }
  // the server is used the same way with and without TLS, but the types are unrelated
  const secure: FastifyHttpsOptions<https.Server> = { ...(settings as object), https: options.tls }
  const app = options.tls ? (fastify(secure) as unknown as FastifyInstance) : fastify(settings)

  app.decorateRequest('mountedAt', '')
  app.decorateRequest('caller', null)
  app.decorateRequest('token', null)
  void app.register(helmet, securityHeaders(options.tls !== null, options.parents))

  app.addHook('onRequest', (request, reply, done) => {
    request.mountedAt = splitPrefix(request.originalUrl).prefix
    void reply.header('x-request-id', request.id)
    hosts.check(request.raw)
    const { url, config } = request.routeOptions
    if (!isProbe(url)) takeOne(ofAddress, request.ip, 'address')
    if (!config.takesBytes) unfinishedBodies.watch(request, reply)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    unfinishedBodies.dismiss(request)
    options.onAnswered({
      request_id: request.id,
      method: request.method,
      path: request.url.split('?')[0]!,
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1000,
      address: request.ip,
      user_id: request.caller?.user.id ?? null,
    })
    done()
  })
  app.setErrorHandler((error, request, reply) => replyProblem(error, request, reply, options.log))

  app.removeAllContentTypeParsers()
  const parseJson = app.getDefaultJsonParser('error', 'ignore')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    // clients often send an action without parameters with an empty body
    if (body === '') return done(null, undefined)
    const fault = jsonFault(body as string)
    if (fault !== null) return done(problem('core.json_refused', { fault }))
    void parseJson(request, body as string, (error, parsed) =>
      error ? done(problem('core.unreadable_json')) : done(null, parsed),
    )
  })
  connections.attach(app.server)
  app.server.prependListener('request', peers.dropUntrusted)
  return app
}

/** Strips the mount prefix from the URLs of upgrade requests before any other listener sees them. */
export function stripPrefixOfUpgrades(app: FastifyInstance): void {
  app.server.prependListener('upgrade', (request: IncomingMessage) => {
    request.url = splitPrefix(request.url ?? '/').rest
  })
}
