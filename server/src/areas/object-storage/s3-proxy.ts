import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { grantsAllow, type Ability } from '@mainstay/contract/core/abilities'
import { Problem } from '@mainstay/contract/core/problems'
import { S3_PROXY_PATH } from '@mainstay/contract/object-storage/s3-proxy'
import { authenticate } from '../../http/callers'
import type { CookieFor } from '../../http/cookies'
import type { Rates } from '../../http/overload/rates'
import { splitPrefix } from '../../http/prefix'
import { asProblem } from '../../http/problem-replies'
import { drain, withProgressTimeout } from '../../http/streams'
import { readS3Address } from '../../proxies/s3/address'
import { S3_IDLE_MS, type Forwarding } from '../../proxies/s3/forward'
import { answerHeaders, isForPage, payloadOf, requestHeaders } from '../../proxies/s3/headers'
import { refusalOf, refusalXml, S3Refusal } from '../../proxies/s3/s3-refusal'
import type { SignedIn } from '../../session/signed-in'
import type { Tools } from '../../tools'
import { ownAccount } from './access.service'

/*
 * Object storage for the console: calls of S3 with the session in place of a signature. They are signed anew with a key of the
 * caller's own and streamed to S3, which decides what its owner may do (decision 0072).
 */

const abilities = { GET: 'read', HEAD: 'read', PUT: 'create', POST: 'create', DELETE: 'delete' } as const
type Verb = keyof typeof abilities
const isVerb = (method: string): method is Verb => method in abilities
const hasBody = (method: Verb) => method === 'PUT' || method === 'POST'

/** Calls of one user at once, and of all. */
const MOST_OF_USER = 64
const MOST_IN_ALL = 512

export interface S3ProxyOptions {
  panel: CookieFor['panel']
  ofToken: Rates
  forwarding: Forwarding
  turns: S3Turns
  idleMs?: number
}

export interface S3Turns {
  /** Throws `SlowDown` where there are too many. Answers what ends this one. */
  begin(userId: string): () => void
}

/** Counts the calls that are under way. */
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

/** Whoever calls has to bring a signature, as S3 wants it: a link without one has no end. */
const isSigned = (request: FastifyRequest, isPresigned: boolean): boolean =>
  isPresigned || (request.headers.authorization ?? '').startsWith('AWS4-HMAC-SHA256 ')

function permit({ grants }: SignedIn, ability: Ability): void {
  if (!grantsAllow(grants, 's3_enable', ability))
    throw new Problem('forbidden', 'You do not have the permission for this')
}

/** Takes the calls of S3 below `/s3proxy/` of a panel. What is refused is told as S3 tells it. */
export function registerS3Proxy(app: FastifyInstance, tools: Tools, options: S3ProxyOptions): void {
  const { panel, ofToken, forwarding, turns, idleMs = S3_IDLE_MS } = options

  async function permitted(request: FastifyRequest): Promise<void> {
    const { method, headers } = request
    if (!isVerb(method)) throw new S3Refusal(405, 'MethodNotAllowed', `There is no ${method} here`)
    if (isForPage(headers)) throw new S3Refusal(403, 'AccessDenied', 'What is stored is no part of a page')
    const verb = method === 'HEAD' ? 'GET' : method
    await authenticate(request, { verb, needs: 'signed-in', bytes: 'out' }, tools, ofToken, panel)
    permit(request.caller!, abilities[method])
  }

  async function pass(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const method = request.method as Verb
    const caller = request.caller!
    const address = readS3Address(splitPrefix(request.originalUrl).rest.slice(S3_PROXY_PATH.length))
    if (!isSigned(request, address.isPresigned)) throw new S3Refusal(403, 'AccessDenied', 'The request is not signed')
    const payload = payloadOf(request.headers)
    if (payload.startsWith('STREAMING-AWS4'))
      throw new S3Refusal(501, 'NotImplemented', 'Send chunks without signatures: STREAMING-UNSIGNED-PAYLOAD-TRAILER')
    const { storage, account } = await ownAccount(tools, caller)
    const signer = await storage.signer(account.user_id)
    const gone = new AbortController()
    const end = turns.begin(caller.user.id)
    reply.raw.once('close', () => {
      end()
      if (!reply.raw.writableFinished) gone.abort()
    })
    const response = await forwarding.send(
      {
        upstream: storage.upstream()!,
        ...{ method, address, payload, signer },
        headers: requestHeaders(request.headers, address),
        body: hasBody(method) ? withProgressTimeout(request.raw, idleMs) : null,
      },
      gone.signal,
    )
    const status = response.statusCode!
    void reply.code(status).headers(answerHeaders(response.headers, address))
    if (method !== 'HEAD' && status !== 304 && status !== 204) return reply.send(response)
    response.resume()
    return method === 'HEAD' ? reply.send(Readable.from([])) : reply.send()
  }

  void app.register((streams, _, done) => {
    streams.removeAllContentTypeParsers()
    streams.addContentTypeParser('*', (_request, _body, parsed) => parsed(null, undefined))
    streams.setErrorHandler((error, request, reply) => {
      drain(request.raw)
      const refusal = error instanceof S3Refusal ? error : refusalOf(asProblem(error))
      if (refusal.status === 500)
        tools.log.error({ err: error, request_id: request.id }, 'a call of S3 failed by a fault of ours')
      void reply
        .code(refusal.status)
        .header('cache-control', 'no-store')
        .header('content-security-policy', "sandbox; default-src 'none'")
        .header('content-type', 'application/xml')
      return reply.send(request.method === 'HEAD' ? '' : refusalXml(refusal, request.id))
    })
    streams.route({
      method: [...Object.keys(abilities), 'PATCH', 'OPTIONS'] as ('GET' | 'PUT')[],
      // names below it are left to S3: `routedUrl`
      url: S3_PROXY_PATH,
      bodyLimit: Number.MAX_SAFE_INTEGER,
      config: { takesBytes: true },
      onRequest: permitted,
      handler: pass,
    })
    done()
  })
}
