import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { handOverFaults, LANDING_PATH, type HandOverFault } from '@mainstay/contract/identity/hand-over'
import { Secret } from '@mainstay/engines/ports/secret'
import { handOverCookie, handOverCookieHeader, sessionCookieHeader, type CookieFor } from '../../../http/cookies'
import { isOrigin } from '../../../http/addresses/origin'
import { asProblem, replyProblem } from '../../../http/problem-replies'
import { samlNames } from '../../../federation/federation'
import { createRates } from '../../../http/overload/rates'
import { limits } from '../../../limits'
import { HandOverRefusal } from '../../../federation/refusal'
import { ownMetadata } from '../../../federation/saml/metadata'
import { HAND_OVER_SECONDS, type BrowserTraits } from '../../../session/external-sign-ins'
import type { Origin, NewSession } from '../../../session/types'
import type { Tools } from '../../../tools'

/*
 * Where browsers return from an identity provider (decision 0012), in two steps. First, the cloud's page submits a form
 * in a cross-site request without our cookies. The form is accepted only from the cloud's own page, and its token is
 * stored under a code. Then our own redirect passes on the code, together with cookies which prove that the same
 * browser started the sign-in. The form from a SAML provider takes the same two steps (decision 0051).
 */

const ENTER_PATH = `${LANDING_PATH}/enter`

const SAML_PATH = `${LANDING_PATH}/saml/:domain`

/** Maximum form size, which is enough for a base64-encoded response of 256 kB. */
const SAML_FORM_LIMIT = 400 * 1024
/** A token has several hundred characters, or thousands if the user is in many groups. */
const FORM_LIMIT = 16 * 1024
const tokenText = /^[A-Za-z0-9_.=~+/-]{16,12000}$/

function reasonOf(error: unknown): HandOverFault {
  if (error instanceof HandOverRefusal) return error.reason
  const code = asProblem(error)?.code
  if (code === undefined) return 'unknown'
  return handOverFaults.find((it) => it === code) ?? 'refused'
}

const originOf = (request: FastifyRequest, panel: Origin['panel']): Origin => ({
  address: request.ip,
  user_agent: request.headers['user-agent'] ?? '',
  browser: true,
  panel,
  request_id: request.id,
})

const traitsOf = ({ address, user_agent }: Origin): BrowserTraits => [address, user_agent]

/** Returns the token in the form. Throws unless the form comes from the cloud's page and contains only one token. */
async function tokenIn(request: FastifyRequest, { identity }: Tools): Promise<Secret> {
  if (!identity.handOver) throw new HandOverRefusal('stale', 'This server has no identity providers')
  if (Object.keys(request.query as object).length > 0)
    throw new HandOverRefusal('refused', 'A token must not be part of a URL')
  if (!isOrigin(request.headers.origin, await identity.handOver.origin()))
    throw new HandOverRefusal('refused', 'The form was not sent by the sign-in page of the cloud')
  const tokens = request.body instanceof URLSearchParams ? request.body.getAll('token') : []
  if (tokens.length !== 1 || !tokenText.test(tokens[0]!))
    throw new HandOverRefusal('refused', 'The form does not contain a valid token')
  return new Secret(tokens[0]!)
}

/** Starts a session if the browser started the sign-in and presents the right code. */
async function enter(request: FastifyRequest, where: CookieFor, tools: Tools): Promise<NewSession> {
  const { sessions, handOvers, identity } = tools
  const { code } = request.query as { code?: unknown }
  const from = originOf(request, where.panel)
  const token = typeof code === 'string' ? await handOvers.redeem(code, traitsOf(from)) : null
  const provider = handOverCookie(request.headers.cookie, where)
  if (!token || provider === null)
    throw new HandOverRefusal('stale', 'This browser did not start this sign-in, or the sign-in has expired')
  return sessions.acceptHandOver(provider, async () => identity.handOver?.accept(provider, token) ?? null, from)
}

/** Starts a session from an identity provider's response to a request from this server. */
async function enterByProvider(request: FastifyRequest, where: CookieFor, tools: Tools): Promise<NewSession> {
  const answer = new URLSearchParams(request.url.split('?')[1])
  const { providerId, look } = await tools.federation.accept(answer, handOverCookie(request.headers.cookie, where))
  return tools.sessions.acceptHandOver(providerId, look, originOf(request, where.panel))
}

/**
 * Our address in the metadata, which is also fetched by programs. Throws `unsupported` if users cannot sign in at this
 * address.
 */
const addressOf = (request: FastifyRequest, tools: Tools, panel: CookieFor['panel']): string => {
  const here = `${request.protocol}://${request.host}${request.mountedAt}`
  return tools.consoleAddresses.ofSignIn(panel, { panel, ownAddress: here })
}

/** Registers the callback routes. They always redirect the browser to a page that shows the result. */
export function registerLanding(app: FastifyInstance, tools: Tools, panel: CookieFor['panel']): void {
  const where = (request: FastifyRequest): CookieFor => ({
    secure: request.protocol === 'https',
    prefix: request.mountedAt,
    panel,
    browser: true,
  })
  const goOn = (reply: FastifyReply, to: string) =>
    reply.code(303).header('cache-control', 'no-store').header('location', `${reply.request.mountedAt}${to}`).send()

  const actOf = (request: FastifyRequest, reply: FastifyReply) =>
    tools.audit.begin({
      call: {
        ...{ action: 'session.handOver', scope: null, request_id: request.id, address: request.ip },
        ...{ method: request.method, path: request.url.split('?')[0]! },
        started_at: new Date(Date.now() - reply.elapsedTime),
      },
      ...{ status: 303, kind: null, noteFirst: false },
      subjectOf(thing) {
        const user = (thing ?? null) as { id: string; name: string } | null
        return { kind: null, id: user?.id ?? null, name: user?.name ?? null }
      },
    })

  async function fail(request: FastifyRequest, reply: FastifyReply, error: unknown, act = actOf(request, reply)) {
    const reason = reasonOf(error)
    const fields = { request_id: request.id, reason, err: error }
    if (reason === 'unknown')
      tools.log.error(fields, 'a sign-in through an identity provider failed with an internal error')
    else tools.log.warn(fields, 'a sign-in through an identity provider failed')
    const problem = asProblem(error)
    await act.failed({
      ...{ subject: { kind: null, id: null, name: null }, result: 'error', status: problem?.status ?? 500 },
      ...{ error_code: problem?.code ?? 'unknown', message: problem?.message ?? null },
    })
    void reply.header('set-cookie', handOverCookieHeader(null, LANDING_PATH, where(request)))
    return goOn(reply, `/auth/failed?reason=${reason}&id=${encodeURIComponent(request.id)}`)
  }

  const responses = createRates(limits.samlResponses)

  void app.register((landing, _, done) => {
    landing.removeAllContentTypeParsers()
    landing.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, parsed) =>
      parsed(null, new URLSearchParams(body as string)),
    )
    landing.setErrorHandler((error, request, reply) => fail(request, reply, error))

    landing.post(LANDING_PATH, { bodyLimit: FORM_LIMIT }, async (request, reply) => {
      const code = await tools.handOvers.keep(
        await tokenIn(request, tools),
        traitsOf(originOf(request, panel)),
        HAND_OVER_SECONDS,
      )
      return goOn(reply, `${ENTER_PATH}?code=${code}`)
    })
    landing.get(LANDING_PATH, () => {
      throw new HandOverRefusal('refused', 'A token must not be part of a URL')
    })
    landing.post(SAML_PATH, { bodyLimit: SAML_FORM_LIMIT }, async (request, reply) => {
      if (responses.take(request.ip) > 0)
        throw new HandOverRefusal('too_many_attempts', 'Too many responses from this address')
      const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
      const state = await tools.federation.receive(form)
      return goOn(reply, `${request.url.split('?')[0]!.slice(request.mountedAt.length)}?state=${state}`)
    })
    landing.get(`${SAML_PATH}/metadata`, (request, reply) => {
      const { domain } = request.params as { domain: string }
      let address: string
      try {
        address = addressOf(request, tools, panel)
      } catch (error) {
        return replyProblem(error, request, reply, tools.log)
      }
      const { entityId, acs } = samlNames(address, domain)
      return reply
        .header('content-type', 'application/samlmetadata+xml')
        .header('content-disposition', 'attachment; filename="metadata.xml"')
        .send(ownMetadata(entityId, acs))
    })
    for (const [path, by] of [
      [ENTER_PATH, enter],
      [`${LANDING_PATH}/openid/:domain`, enterByProvider],
      [SAML_PATH, enterByProvider],
    ] as const)
      landing.get(path, async (request, reply) => {
        const act = actOf(request, reply)
        let begun: NewSession
        try {
          begun = await act.run(() => by(request, where(request), tools))
        } catch (error) {
          return fail(request, reply, error, act)
        }
        await act.done(begun.signedIn.user)
        const { sessionSeconds } = tools.sessions.lifetime
        void reply
          .header('set-cookie', handOverCookieHeader(null, LANDING_PATH, where(request)))
          .header('set-cookie', sessionCookieHeader(begun.token, sessionSeconds, where(request)))
        return goOn(reply, '/auth/success')
      })
    done()
  })
}
