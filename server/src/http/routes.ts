import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod'
import { isLockable } from '@mainstay/contract/core/deletion-locks'
import type { Endpoint } from '@mainstay/contract/core/endpoint'
import { withoutUnsetFields } from '@mainstay/contract/core/null-fields'
import { answered, rewritten } from '@mainstay/contract/core/tolerance'
import { LANDING_PATH } from '@mainstay/contract/identity/hand-over'
import { problem } from '@mainstay/contract/core/problems'
import { tolerances } from '@mainstay/contract/tolerances'
import { isServedAt, type Panel } from '@mainstay/contract/panels'
import type { Entity } from '@mainstay/engines/ports/records'
import { mayCall, refusedFor, type SignedIn } from '../session/signed-in'
import type { Tools } from '../tools'
import { beginCallAct, isAct, statusOf, type CallSoFar } from './acts'
import { authenticate, cookiePlaceOf, isUnsafe } from './callers'
import { deviceCookie, deviceCookieHeader, handOverCookieHeader, sessionCookieHeader } from './cookies'
import { etagIsAmong, etagOf } from './etag'
import { handleExpecting } from './if-match'
import { readForm } from './form'
import { attachmentHeader, drain, withProgressTimeout, type Download } from './streams'
import { addressInBrowser } from './addresses/origin'
import { checkParams, parse, parseQuery } from './parse'
import type { Limits } from '../limits'
import { createRates, type Rates } from './overload/rates'
import { sendJsonText } from './send-json'
import type { CallRequest, LooseCall, Served } from './serve'
import { createFairQueue, type FairQueue } from './overload/fair-queue'

export interface RouteOptions {
  panel: Panel
  /** Whether responses are validated against the contract; in tests and development. */
  checkReplies: boolean
  uploadTimeoutMs?: number
  gates: CallGates
}

/** Limits shared by the calls of both panels. */
export interface CallGates {
  limits: Limits
  ofToken: Rates
  lists: FairQueue
  longLists: FairQueue
  commands: FairQueue
}

export const createCallGates = (limits: Limits): CallGates => ({
  limits,
  ofToken: createRates(limits.rates.token),
  lists: createFairQueue(limits.turns.lists),
  longLists: createFairQueue(limits.turns.longLists),
  commands: createFairQueue(limits.turns.commands),
})

declare module 'fastify' {
  interface FastifyRequest {
    /** URL prefix under which this caller reaches the application; empty at the root. */
    mountedAt: string
  }
}

/** Error for a call that does not exist on the port. */
export const unknownCall = (method: string) => problem('core.no_such_method', { method })

const isVoid = (schema: z.ZodType) => schema instanceof z.ZodVoid

/** Tenant for fair queueing: the project, or the user outside a project. */
const tenantOf = ({ scope, user }: SignedIn): string =>
  scope.kind === 'project' ? `project ${scope.project_id}` : `user ${user.id}`

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** Throws if a response does not match the contract; this counts as an internal error. */
function checkReply(endpoint: Endpoint, reply: unknown): void {
  const result = endpoint.reply.safeParse(reply)
  if (!result.success)
    throw new Error(`the response of ${endpoint.verb} ${endpoint.path} does not match the contract`, {
      cause: result.error,
    })
}

/**
 * Registers the calls in the contract on a server. Calls that belong to the other panel get the same response as
 * unknown calls.
 */
export function registerRoutes(app: FastifyInstance, served: Served[], tools: Tools, options: RouteOptions): void {
  const { gates } = options

  /** Redacts the result of a command for the caller. The index has already redacted lists and views. */
  async function shownTo(call: LooseCall, { kind, endpoint }: Served, body: unknown): Promise<unknown> {
    if (!kind || !call.scope || typeof body !== 'object' || body === null || !('id' in body)) return body
    const row = tools.inventory.redactFor(kind, call.scope, body as Entity)
    if (!isUnsafe(endpoint.verb) || !isLockable(kind)) return row
    // a cloud's response does not include deletion locks
    const lock = (await tools.inventory.rowsOf(kind, [row.id])).get(row.id)?.['deletion_lock']
    return lock ? { ...row, deletion_lock: lock } : row
  }

  function sendAnswer(
    request: FastifyRequest,
    reply: FastifyReply,
    { endpoint }: Served,
    body: unknown,
    revision: number | null,
  ) {
    void reply.header('vary', 'X-Auth-Token, Cookie, Origin')
    const status = statusOf(endpoint)
    if (isVoid(endpoint.reply)) return reply.code(status).header('cache-control', 'no-store').send()
    const json = JSON.stringify(answered(body, tolerances.get(endpoint)?.answer, request.query))
    const etag = etagOf(body, json, revision)
    if (etag !== null) void reply.header('etag', etag)
    void reply.header('cache-control', etag !== null && endpoint.verb === 'GET' ? 'private, no-cache' : 'no-store')
    const known = request.headers['if-none-match']
    if (etag !== null && endpoint.verb === 'GET' && known !== undefined && etagIsAmong(known, etag))
      return reply.code(304).send()
    return sendJsonText(reply.code(status), json)
  }

  function sendBytes(
    request: FastifyRequest,
    reply: FastifyReply,
    { bytes, sizeBytes, fileName, contentType, md5 }: Download,
  ) {
    void reply
      .code(200)
      .header('content-type', contentType)
      .header('content-disposition', attachmentHeader(fileName))
      .header('cache-control', 'no-store')
      .header('vary', 'X-Auth-Token, Cookie')
    if (sizeBytes !== null) void reply.header('content-length', String(sizeBytes))
    if (md5) void reply.header('content-md5', md5)
    if (request.method === 'HEAD') {
      bytes.destroy()
      // an empty payload would set Content-Length to 0
      return reply.send(Readable.from([]))
    }
    return reply.send(bytes)
  }

  /** Runs a call when its tenant's turn comes. Byte streams have their own limits. */
  function inTurn<Result>(
    { endpoint }: Served,
    { caller, query }: LooseCall,
    gone: AbortSignal,
    work: () => Promise<Result>,
  ): Promise<Result> {
    if (!caller || endpoint.bytes) return work()
    const run = (turns: FairQueue) => turns.run(tenantOf(caller), work, gone)
    if (isUnsafe(endpoint.verb)) return run(gates.commands)
    if (!endpoint.query) return work()
    const rows = (query as { limit?: number }).limit ?? 0
    return run(rows > gates.limits.longListRows ? gates.longLists : gates.lists)
  }

  async function answer(one: Served, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { endpoint } = one
    const gone = new AbortController()
    reply.raw.once('close', () => gone.abort())
    const soFar: CallSoFar = { call: null, before: undefined }
    const mayBeAct = isAct(endpoint) && request.method !== 'HEAD'
    const isRecorded = mayBeAct && (request.caller !== null || endpoint.needs === 'public')
    const recorded = isRecorded ? beginCallAct(one, request, soFar, tools) : null

    let result: unknown
    let revision: number | null = null
    try {
      const { token, caller } = request
      const { needs } = endpoint
      if (caller && !mayCall(caller.grants, needs)) throw refusedFor(caller)
      const where = cookiePlaceOf(request, options.panel)
      const origin = {
        address: request.ip,
        device: deviceCookie(request.headers.cookie, where),
        user_agent: request.headers['user-agent'] ?? '',
        browser: where.browser,
        panel: options.panel,
        request_id: request.id,
      }
      const callRequest: CallRequest = {
        id: request.id,
        panel: options.panel,
        origin,
        source: { address: request.ip, isSecure: where.secure },
        token,
        leaveUnrecorded: () => recorded?.act.leaveUnrecorded(),
        signal: gone.signal,
        setSessionCookie: (value, seconds) =>
          void reply.header('set-cookie', sessionCookieHeader(value, seconds, where)),
        rememberDevice: (device, seconds) =>
          void reply.header('set-cookie', deviceCookieHeader(device, seconds, where)),
        ownAddress: addressInBrowser(request.headers, request.mountedAt),
        rememberHandOver: (id) => void reply.header('set-cookie', handOverCookieHeader(id, LANDING_PATH, where)),
      }
      const tolerated = tolerances.get(endpoint)
      const sent = rewritten(request.body, tolerated?.body) ?? undefined
      const body: unknown = endpoint.body
        ? // in a change, null clears a field
          parse(endpoint.body, endpoint.verb === 'POST' ? withoutUnsetFields(endpoint.body, sent) : sent)
        : undefined
      const event = text((body as Record<string, unknown> | undefined)?.['event'])
      const call: LooseCall = {
        scope: caller && { ...caller.scope, ...(event !== null && { event }) },
        caller,
        params: checkParams(request.params),
        query: endpoint.query ? parseQuery(endpoint.query, rewritten(request.query, tolerated?.query)) : undefined,
        body,
        headers: endpoint.headers ? parse(endpoint.headers, rewritten(request.headers, tolerated?.headers)) : undefined,
        bytes: endpoint.bytes === 'in' ? withProgressTimeout(request.raw, options.uploadTimeoutMs) : undefined,
        request: callRequest,
      }
      soFar.call = call
      // a deleted row has no name afterwards, and a changed one no longer has its old values
      const isGone = isVoid(endpoint.reply) || endpoint.body !== undefined
      if (recorded && one.kind && caller && isGone && call.params['id'])
        [soFar.before] = await tools.inventory.several(one.kind, caller.scope, [call.params['id']])
      const work = () => handleExpecting(one, call, request.headers['if-match'], tools)
      const run = recorded ? () => recorded.act.run(work) : work
      ;({ result, revision } = await inTurn(one, call, gone.signal, run))
      if (options.checkReplies && endpoint.bytes !== 'out') checkReply(endpoint, result)
    } catch (error) {
      if (endpoint.bytes === 'in') drain(request.raw)
      await recorded?.failed(error)
      throw error
    }
    await recorded?.act.done(result)
    return endpoint.bytes === 'out'
      ? sendBytes(request, reply, result as Download)
      : sendAnswer(request, reply, one, await shownTo(soFar.call, one, result), revision)
  }

  const verbs = (one: Served): ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE')[] => {
    const { verb, path } = one.endpoint
    // S1§7: a change accepts both PATCH and PUT
    const putIsFree = !served.some(({ endpoint }) => endpoint.verb === 'PUT' && endpoint.path === path)
    return verb === 'PATCH' && putIsFree ? ['PATCH', 'PUT'] : [verb]
  }
  const { signedInBytes, publicBytes } = gates.limits.body
  const bodyLimitOf = ({ bytes, needs }: Endpoint) =>
    bytes === 'in' ? Number.MAX_SAFE_INTEGER : needs === 'public' ? publicBytes : signedInBytes
  const add = (target: FastifyInstance, one: Served) =>
    target.route({
      method: verbs(one),
      url: one.endpoint.path,
      bodyLimit: bodyLimitOf(one.endpoint),
      config: { takesBytes: one.endpoint.bytes === 'in' },
      onRequest: async (request) => {
        try {
          // the path may also match another call: `/alerts/:id` matches `/alerts/types`
          if (!isServedAt(options.panel, one.endpoint)) throw unknownCall(request.method)
          await authenticate(request, one.endpoint, tools, gates.ofToken, options.panel)
        } catch (error) {
          if (one.endpoint.bytes === 'in') drain(request.raw)
          throw error
        }
      },
      handler: (request, reply) => answer(one, request, reply),
    })

  const isPlain = ({ endpoint }: Served) => endpoint.bytes !== 'in' && !endpoint.takesForm
  for (const one of served) if (isPlain(one)) add(app, one)
  void app.register((forms, _, done) => {
    forms.addContentTypeParser('multipart/form-data', { parseAs: 'buffer' }, (request: FastifyRequest, body: Buffer) =>
      readForm(request.headers['content-type'] ?? '', body),
    )
    for (const one of served) if (one.endpoint.takesForm) add(forms, one)
    done()
  })
  void app.register((streams, _, done) => {
    // for any content type, only the handler reads the bytes
    streams.removeAllContentTypeParsers()
    streams.addContentTypeParser('*', (_request, _body, parsed) => parsed(null, undefined))
    for (const one of served) if (one.endpoint.bytes === 'in') add(streams, one)
    done()
  })
}
