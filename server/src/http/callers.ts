import type { FastifyRequest } from 'fastify'
import type { Endpoint } from '@mainstay/contract/core/endpoint'
import { problem } from '@mainstay/contract/core/problems'
import type { SignedIn } from '../session/signed-in'
import { hashToken } from '../session/tokens'
import type { Sessions } from '../session/types'
import { sessionCookie, type CookieFor } from './cookies'
import { isBrowser, refuseForgery } from './addresses/origin'
import { takeOne, type Rates } from './overload/rates'

declare module 'fastify' {
  interface FastifyRequest {
    /** Token sent with the call, in the header or the cookie. */
    token: string | null
    caller: SignedIn | null
  }
}

export const isUnsafe = (verb: string) => verb !== 'GET'

/** Attributes of the caller's cookies. */
export const cookiePlaceOf = (request: FastifyRequest, panel: CookieFor['panel']): CookieFor => ({
  secure: request.protocol === 'https',
  prefix: request.mountedAt,
  panel,
  browser: isBrowser(request.headers),
})

function tokenOf({ headers }: FastifyRequest, where: CookieFor): { token: string | null; byCookie: boolean } {
  const header = headers['x-auth-token']
  if (typeof header === 'string' && header !== '') return { token: header, byCookie: false }
  const cookie = sessionCookie(headers.cookie, where)
  return { token: cookie, byCookie: cookie !== null }
}

/**
 * Authenticates the caller before the body is read, so that anonymous requests cannot occupy memory. Permissions are
 * checked with the call itself. A download is a link that a browser opens with only its cookie, which names no project,
 * so only downloads may select the project with `?project_id=`.
 */
export async function authenticate(
  request: FastifyRequest,
  endpoint: Pick<Endpoint, 'verb' | 'needs' | 'bytes'>,
  { sessions }: { sessions: Pick<Sessions, 'resolve'> },
  ofToken: Rates,
  panel: CookieFor['panel'],
): Promise<void> {
  const { token, byCookie } = tokenOf(request, cookiePlaceOf(request, panel))
  request.token = token
  refuseForgery({ headers: request.headers, unsafe: isUnsafe(endpoint.verb), byCookie })
  if (endpoint.needs === 'public') return
  if (token === null) throw problem('identity.sign_in')
  takeOne(ofToken, hashToken(token).toString('base64'), 'token')
  const asked = (request.query as Record<string, unknown>)['project_id']
  const projectId = endpoint.bytes === 'out' && byCookie && typeof asked === 'string' ? asked : undefined
  request.caller = await sessions.resolve(token, request.id, { projectId, panel })
}
