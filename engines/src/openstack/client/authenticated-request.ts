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

/** What the callers of one cloud share. */
export interface Shared {
  exchange: HttpExchange
  versions: Versions
  /** Null where the cloud does not have the service. */
  endpoint(service: Service, token: Token): Endpoint | null
}

/** A call before it has a token and an address. */
export interface Asked extends Pick<Call, 'service' | 'verb' | 'lane' | 'body'> {
  path: string
  options: CallOptions
}

export interface AuthenticatedRequest {
  /** The whole answer, of a good status. */
  whole(asked: Asked): Promise<Answer>
  /** Makes a call of what was asked and gives it to `act`; again with another token where the first one is refused. */
  acting<Result>(asked: Asked, deadline: Deadline, act: (call: Call) => Promise<Result>): Promise<Result>
  /** Versions of a service; null where it has none that this client speaks, or is not there. */
  offer(service: Service): Promise<Offer | null>
}

/** The Problem of an answer of 300 or more. */
export const refusalOf = (call: Call, answer: Answer): Problem =>
  refusal(call.service, answer, [call.headers['x-auth-token'] ?? '', ...(call.secrets ?? [])])

const isRefusedToken = (error: unknown): error is Problem =>
  error instanceof Problem && error.code === 'unauthorized' && error.data['status'] === 401

/** What is told when a token is refused for good. An account of ours that is refused is no matter of who asks. */
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

  /** Not by the caller's deadline: others wait for the same answer. */
  async function askVersions(service: Service, url: URL, token: Token): Promise<Answer> {
    const headers = { accept: 'application/json', ...common, 'x-auth-token': token.id.reveal() }
    const call: Call = { service, lane: 'calls', verb: 'GET', url, headers, mayRepeat: true, requestId }
    const deadline = startDeadline(usualDeadlineMs)
    try {
      const answer = await exchange.whole(call, deadline)
      // 300 is how some services tell of several versions
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
        // a command whose token was refused was not done: it may be sent with another one
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
      // bytes of a stream that were sent are gone
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
