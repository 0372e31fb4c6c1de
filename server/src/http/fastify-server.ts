import type { IncomingMessage } from 'node:http'
import type https from 'node:https'
import type { Socket } from 'node:net'
import helmet from '@fastify/helmet'
import fastify, { type FastifyHttpsOptions, type FastifyInstance, type FastifyServerOptions } from 'fastify'
import { Problem } from '@mainstay/contract/core/problems'
import { splitPrefix } from './prefix'
import { problemBody, replyProblem, type FaultLog } from './problem-replies'
import { requestIdOf } from './request-ids'
import { securityHeaders } from './security-headers'
import { JSON_TYPE } from './send-json'

/** The most that a JSON body may have, bytes. */
export const JSON_LIMIT = 1024 * 1024

export interface ServerOptions {
  /** Certificate and key, PEM; null serves plain HTTP. */
  tls: { cert: string; key: string } | null
  /** Addresses and networks of proxies in front, whose word on who calls is taken. */
  proxies: readonly string[]
  log: FaultLog
  onAnswered(answered: AnsweredRequest): void
}

/** What is logged of each request: nothing that was sent, and no query, which may hold a ticket. */
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
      problem: new Problem('validation', 'The address or the headers are too long'),
    }
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { status: '408 Request Timeout', problem: new Problem('validation', 'The request took too long') }
  return { status: '400 Bad Request', problem: new Problem('validation', 'This is not a request in HTTP') }
}

/** Answers what is no request at all: there is nothing of HTTP to answer with but the socket. */
function answerGarbage(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy()
  const { status, problem } = badRequest(error)
  const body = JSON.stringify(problemBody(problem, requestIdOf({ headers: {} })))
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: ${JSON_TYPE}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

/** An HTTP server with our limits, ids, headers and error replies, and no routes yet. */
export function createServer(options: ServerOptions): FastifyInstance {
  const settings: FastifyServerOptions = {
    bodyLimit: JSON_LIMIT,
    // uploads take as long as they take; what stands still is given up elsewhere
    requestTimeout: 0,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    trustProxy: options.proxies.length > 0 && [...options.proxies],
    genReqId: (request) => requestIdOf(request),
    rewriteUrl: (request) => splitPrefix(request.url ?? '/').rest,
    clientErrorHandler: answerGarbage,
    frameworkErrors: (error, request, reply) => void replyProblem(error, request, reply, options.log),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1024 },
  }
  // with or without TLS the server is used alike; the types of the two know nothing of each other
  const secure: FastifyHttpsOptions<https.Server> = { ...(settings as object), https: options.tls }
  const app = options.tls ? (fastify(secure) as unknown as FastifyInstance) : fastify(settings)

  app.decorateRequest('mountedAt', '')
  app.decorateRequest('caller', null)
  void app.register(helmet, securityHeaders(options.tls !== null))

  app.addHook('onRequest', (request, reply, done) => {
    request.mountedAt = splitPrefix(request.originalUrl).prefix
    void reply.header('x-request-id', request.id)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
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
    // an action without anything to say is often sent with an empty body
    if (body === '') return done(null, undefined)
    void parseJson(request, body as string, (error, parsed) =>
      error ? done(new Problem('unreadable_payload', 'Can not parse payload. Expected JSON')) : done(null, parsed),
    )
  })
  return app
}

/** Puts the addresses of upgrade requests below the place where we are mounted, before anybody looks at them. */
export function stripPrefixOfUpgrades(app: FastifyInstance): void {
  app.server.prependListener('upgrade', (request: IncomingMessage) => {
    request.url = splitPrefix(request.url ?? '/').rest
  })
}
