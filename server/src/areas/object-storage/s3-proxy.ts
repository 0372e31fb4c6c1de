import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { grantsAllow, type Ability } from '@mainstay/contract/core/abilities'
import { problem } from '@mainstay/contract/core/problems'
import { S3_INLINE_PARAMETER, S3_PROXY_PATH, S3_VALIDATE_HEADER } from '@mainstay/contract/object-storage/s3-proxy'
import { S3Error } from '@mainstay/engines/s3/errors'
import { UNSIGNED_PAYLOAD } from '@mainstay/engines/s3/signature/canonical'
import { authenticate } from '../../http/callers'
import type { CookieFor } from '../../http/cookies'
import type { Rates } from '../../http/overload/rates'
import { splitPrefix } from '../../http/addresses/prefix'
import { asProblem } from '../../http/problem-replies'
import { drain, withProgressTimeout } from '../../http/streams'
import { readS3Address, type S3Address } from '../../proxies/s3/address'
import { S3_IDLE_MS, type Forwarding, type S3Request } from '../../proxies/s3/forward'
import { bodyForS3 } from '../../proxies/s3/body'
import { answerHeaders, isForPage, payloadOf, requestHeaders } from '../../proxies/s3/headers'
import { refusalOf, refusalXml, S3Refusal } from '../../proxies/s3/s3-refusal'
import { mayLackUploadTag, withUploadTag } from '../../proxies/s3/upload-tag'
import type { SignedIn } from '../../session/signed-in'
import type { Sessions } from '../../session/types'
import type { Tools } from '../../tools'
import { ownStorage, s3OwnerOf } from './access.service'
import { beginS3Act, changeOf, type S3Act } from './s3-acts'

/*
 * Object storage for the console: S3 calls that are authenticated by the session instead of a signature. The embedded
 * engine processes them in this process (decision 0081). For other S3 services, they are signed with one of the
 * caller's keys and streamed to the service. In both cases, S3 authorizes the caller (decision 0072).
 */

const abilities = { GET: 'read', HEAD: 'read', PUT: 'create', POST: 'create', DELETE: 'delete' } as const
type Verb = keyof typeof abilities
const isVerb = (method: string): method is Verb => method in abilities
const hasBody = (method: Verb) => method === 'PUT' || method === 'POST'

/** Maximum number of concurrent calls per user and in total. */
const MOST_OF_USER = 64
const MOST_IN_ALL = 512

export interface S3ProxyOptions {
  panel: CookieFor['panel']
  ofToken: Rates
  /** Authenticates callers. Must be fast, because there can be many calls per second. */
  sessions: Pick<Sessions, 'resolve'>
  forwarding: Forwarding
  turns: S3Turns
  idleMs?: number
}

export interface S3Turns {
  /**
   * Throws `SlowDown` if there are too many concurrent calls. Returns a function that must be called when the call has
   * ended.
   */
  begin(userId: string): () => void
}

/** Counts and limits concurrent calls. */
export function createS3Turns(): S3Turns {
  const ofUsers = new Map<string, number>()
  let all = 0
  return {
    begin(userId) {
      const own = ofUsers.get(userId) ?? 0
      if (own >= MOST_OF_USER || all >= MOST_IN_ALL)
        throw new S3Refusal(503, 'SlowDown', 'Too many requests at once. Try again in a moment')
      ofUsers.set(userId, own + 1)
      all += 1
      return () => {
        const left = ofUsers.get(userId)! - 1
        if (left === 0) ofUsers.delete(userId)
        else ofUsers.set(userId, left)
        all -= 1
      }
    },
  }
}

/**
 * Whether the request is signed. Like S3, the proxy requires a signature, because an unsigned link would never expire.
 */
const isSigned = (request: FastifyRequest, isPresigned: boolean): boolean =>
  isPresigned || (request.headers.authorization ?? '').startsWith('AWS4-HMAC-SHA256 ')

function permit({ grants }: SignedIn, ability: Ability): void {
  if (!grantsAllow(grants, 's3_enable', ability)) throw problem('core.forbidden')
}

/** Serves S3 calls below `/s3proxy/` of a panel. Errors are returned in S3 format. */
export function registerS3Proxy(app: FastifyInstance, tools: Tools, options: S3ProxyOptions): void {
  const { panel, ofToken, sessions, forwarding, turns, idleMs = S3_IDLE_MS } = options

  async function permitted(request: FastifyRequest): Promise<void> {
    const { method, headers } = request
    if (!isVerb(method)) throw new S3Refusal(405, 'MethodNotAllowed', `The method ${method} is not supported`)
    const isInline = (request.query as Record<string, unknown>)[S3_INLINE_PARAMETER] === '1'
    if (isForPage(headers, isInline))
      throw new S3Refusal(403, 'AccessDenied', 'Stored objects cannot be loaded as part of a page')
    const verb = method === 'HEAD' ? 'GET' : method
    await authenticate(request, { verb, needs: 'signed-in', bytes: 'out' }, { sessions }, ofToken, panel)
  }

  /** Forwards a call, and records it in the audit log if it changes something. */
  async function pass(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const address = readS3Address(splitPrefix(request.originalUrl).rest.slice(S3_PROXY_PATH.length))
    const change = changeOf(request.method, address, { ...request.headers, ...address.headers })
    const isHere = tools.ports['object-storage'].answer !== null
    const act = change && beginS3Act(request, change, { audit: tools.audit, isHere })
    if (!act) return send(request, reply, address, null)
    try {
      return await act.run(() => send(request, reply, address, act))
    } catch (error) {
      await act.failed(error)
      throw error
    }
  }

  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    address: S3Address,
    act: S3Act | null,
  ): Promise<FastifyReply> {
    const method = request.method as Verb
    const caller = request.caller!
    permit(caller, abilities[method])
    if (!isSigned(request, address.isPresigned)) throw new S3Refusal(403, 'AccessDenied', 'The request is not signed')
    const payload = payloadOf(request.headers)
    if (payload.startsWith('STREAMING-AWS4'))
      throw new S3Refusal(501, 'NotImplemented', 'Send chunks without signatures: STREAMING-UNSIGNED-PAYLOAD-TRAILER')
    const storage = await ownStorage(tools, caller)
    const upstream = storage.upstream()!
    if (request.headers[S3_VALIDATE_HEADER] !== undefined && !upstream.looksAtPolicies)
      throw new S3Refusal(501, 'NotImplemented', 'This object storage cannot validate a policy without saving it')
    // if the client has already disconnected, the call's slot would never be released
    if (reply.raw.destroyed) throw new S3Refusal(400, 'RequestTimeout', 'The connection was closed')
    // S3 may respond before it has read the complete body
    reply.raw.once('finish', () => {
      if (!request.raw.readableEnded && !request.raw.destroyed) drain(request.raw)
    })
    reply.raw.once('close', turns.begin(caller.user.id))
    const owner = s3OwnerOf(caller)
    const asked = {
      ...{ method, address, payload, headers: requestHeaders(request.headers, address) },
      source: { address: request.ip, isSecure: request.protocol === 'https' },
    }
    if (storage.answer) {
      void reply.hijack()
      for (const [name, value] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, value!)
      await storage.answer({
        ...{ ...asked, owner, response: reply.raw },
        body: hasBody(method) ? bodyForS3(request.raw, idleMs) : Readable.from([]),
        ...(act && { told: act.ended }),
        shown(headers) {
          // disconnect clients that do not read the response
          reply.raw.setTimeout(idleMs, () => reply.raw.destroy())
          return answerHeaders(headers, address)
        },
      })
      return reply
    }
    const gone = new AbortController()
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) gone.abort()
    })
    const sent: S3Request = {
      ...{ ...asked, upstream, signer: await storage.signer(owner) },
      body: hasBody(method) ? withProgressTimeout(request.raw, idleMs) : null,
    }
    const response = await forwarding.send(sent, gone.signal)
    const status = response.statusCode!
    void reply.code(status).headers(answerHeaders(response.headers, address))
    if (mayLackUploadTag(upstream, { method, query: address.query, status })) {
      void reply.removeHeader('content-length')
      const text = await withUploadTag(response, () => tagOf(sent, gone.signal))
      await act?.ended(status, text)
      return reply.send(text)
    }
    if (method !== 'HEAD' && status !== 304 && status !== 204)
      return reply.send(act ? act.watched(status, response) : response)
    response.resume()
    await act?.ended(status, '')
    return method === 'HEAD' ? reply.send(Readable.from([])) : reply.send()
  }

  /** Returns the ETag of the object that a request concerns. */
  async function tagOf({ address: { path }, ...request }: S3Request, gone: AbortSignal): Promise<string | null> {
    const nothing = { method: 'HEAD', headers: {}, payload: UNSIGNED_PAYLOAD, body: null }
    const head = await forwarding.send({ ...request, ...nothing, address: { path, query: [] } }, gone)
    head.resume()
    return head.headers.etag ?? null
  }

  void app.register((streams, _, done) => {
    streams.removeAllContentTypeParsers()
    streams.addContentTypeParser('*', (_request, _body, parsed) => parsed(null, undefined))
    streams.setErrorHandler((error, request, reply) => {
      drain(request.raw)
      const refusal = error instanceof S3Refusal || error instanceof S3Error ? error : refusalOf(asProblem(error))
      if (refusal.status === 500)
        tools.log.error({ err: error, request_id: request.id }, 'an S3 request failed with an internal error')
      void reply
        .code(refusal.status)
        .header('cache-control', 'no-store')
        .header('content-security-policy', "sandbox; default-src 'none'")
        .header('content-type', 'application/xml')
      return reply.send(request.method === 'HEAD' ? '' : refusalXml(refusal, request.id))
    })
    streams.route({
      method: [...Object.keys(abilities), 'PATCH', 'OPTIONS'] as ('GET' | 'PUT')[],
      // includes all paths below, which `routedUrl` maps to this one
      url: S3_PROXY_PATH,
      bodyLimit: Number.MAX_SAFE_INTEGER,
      config: { takesBytes: true },
      onRequest: permitted,
      handler: pass,
    })
    done()
  })
}
