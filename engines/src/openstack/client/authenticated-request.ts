import { Problem, problem } from '@mainstay/contract/core/problems'
import { addressOf } from './address'
import type { CallOptions, Service } from './service-client'
import type { Endpoint } from './catalogue'
import { type Deadline, DeadlinePassed, startDeadline } from './deadline'
import type { Call, HttpExchange } from './exchange'
import { late, refusal } from './problems'
import { globalRequestId } from './request-ids'
import type { Answer } from './retry'
import type { Token } from './token-shape'
import type { TokenSource } from './tokens'
import { type Offer, versionHeader, type Versions } from './versions'

export const usualDeadlineMs = 30_000

/** State shared by all clients of one cloud. */
export interface Shared {
  exchange: HttpExchange
  versions: Versions
  /** Returns the endpoint of a service, or null if the cloud does not have the service. */
  endpoint(service: Service, token: Token): Endpoint | null
}

/** A request before its token and URL are known. */
export interface Asked extends Pick<Call, 'service' | 'verb' | 'lane' | 'body'> {
  path: string
  options: CallOptions
}

export interface AuthenticatedRequest {
  /** Returns the complete response. Throws a Problem for a status of 300 or more. */
  whole(asked: Asked): Promise<Answer>
  /** Builds the call and passes it to `act`; retries with a new token if the first one is rejected. */
  acting<Result>(asked: Asked, deadline: Deadline, act: (call: Call) => Promise<Result>): Promise<Result>
  /**
   * Returns the versions that a service supports, or null if the service is missing or has no version that this client
   * supports.
   */
  offer(service: Service): Promise<Offer | null>
}

/** Maps a response with a status of 300 or more to a Problem. */
export const refusalOf = (call: Call, answer: Answer): Problem =>
  refusal(call.service, answer, [call.headers['x-auth-token'] ?? '', ...(call.secrets ?? [])])

const isRefusedToken = (error: unknown): error is Problem =>
  error instanceof Problem && error.code === 'unauthorized' && error.data['status'] === 401

/**
 * Returns the Problem for a rejected token that cannot be renewed. It is attributed to the service account or to the
 * caller.
 */
function signedOut(cause: Problem, of: TokenSource['of'], service: Service): Problem {
  const more = { data: cause.data, cause }
  return of === 'caller'
    ? problem('identity.cloud_sign_in_ended', {}, more)
    : problem('core.service_account_refused', { service }, more)
}

export function createAuthenticatedRequest(
  { exchange, versions, endpoint }: Shared,
  tokens: TokenSource,
  requestId: string | null,
): AuthenticatedRequest {
  const common: Record<string, string> =
    requestId === null ? {} : { 'x-openstack-request-id': globalRequestId(requestId) }

  /** Uses its own deadline instead of the caller's, because other callers may be waiting for the same response. */
  async function askVersions(service: Service, url: URL, token: Token): Promise<Answer> {
    const headers = { accept: 'application/json', ...common, 'x-auth-token': token.id.reveal() }
    const call: Call = { service, lane: 'calls', verb: 'GET', url, headers, mayRepeat: true, requestId }
    const deadline = startDeadline(usualDeadlineMs)
    try {
      const answer = await exchange.whole(call, deadline)
      // some services return their list of versions with status 300
      if (answer.status > 300) throw refusalOf(call, answer)
      return answer
    } finally {
      deadline.end()
    }
  }
  const offerAt = (at: Endpoint, token: Token, deadline: Deadline) =>
    deadline.race(versions.of(at, (url) => askVersions(at.service, url, token)))

  async function callOf({ service, verb, lane, path, options, body }: Asked, token: Token, deadline: Deadline) {
    const at = endpoint(service, token)
    if (!at) throw problem('core.no_service', { service }, { data: { service } })
    const { version } = options
    const json = options.body === undefined ? undefined : JSON.stringify(options.body)
    const sent = body ?? json
    const own = Object.entries(options.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const)
    const call: Call = {
      service,
      lane,
      verb,
      url: addressOf(at, path, options.query),
      headers: {
        accept: 'application/json',
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...common,
        ...(version !== undefined && versionHeader(service, version, await offerAt(at, token, deadline))),
        ...Object.fromEntries(own),
        'x-auth-token': token.id.reveal(),
      },
      mayRepeat: verb === 'GET' || verb === 'HEAD',
      requestId,
      ...(sent !== undefined && { body: sent }),
      ...(options.secrets && { secrets: options.secrets }),
    }
    return call
  }

  async function withToken<Result>(
    service: Service,
    deadline: Deadline,
    mayRenew: boolean,
    attempt: (token: Token) => Promise<Result>,
  ): Promise<Result> {
    try {
      const token = await deadline.race(tokens.token())
      try {
        return await attempt(token)
      } catch (error) {
        // a command rejected because of its token was not carried out, so it is safe to resend
        const another = mayRenew && isRefusedToken(error) ? await deadline.race(tokens.renew(token)) : null
        if (!another) throw error
        return await attempt(another)
      }
    } catch (error) {
      if (error instanceof DeadlinePassed) throw late(service, error, false)
      throw isRefusedToken(error) ? signedOut(error, tokens.of, service) : error
    }
  }

  const request: AuthenticatedRequest = {
    acting: (asked, deadline, act) =>
      // a partially sent stream cannot be sent again
      withToken(asked.service, deadline, typeof asked.body !== 'object', async (token) =>
        act(await callOf(asked, token, deadline)),
      ),
    async whole(asked) {
      const deadline = startDeadline(asked.options.deadlineMs ?? usualDeadlineMs, asked.options.signal)
      try {
        return await request.acting(asked, deadline, async (call) => {
          const answer = await exchange.whole(call, deadline)
          if (answer.status >= 300) throw refusalOf(call, answer)
          return answer
        })
      } finally {
        deadline.end()
      }
    },
    async offer(service) {
      const deadline = startDeadline(usualDeadlineMs)
      try {
        return await withToken(service, deadline, true, async (token) => {
          const at = endpoint(service, token)
          return at && offerAt(at, token, deadline)
        })
      } finally {
        deadline.end()
      }
    },
  }
  return request
}
