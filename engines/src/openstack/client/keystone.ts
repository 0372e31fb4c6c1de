import type { Problem } from '@mainstay/contract/core/problems'
import { problem, cloudSays } from '@mainstay/contract/core/problems'
import type { Secret } from '../../ports/secret'
import type { Endpoint } from './catalogue'
import { type AuthScope, authRequest, type Credentials } from './credentials'
import { startDeadline } from './deadline'
import type { Call, HttpExchange } from './exchange'
import { facts, invalidResponse, refusal } from './problems'
import type { Answer } from './retry'
import { readToken, type Token, WireToken } from './token-shape'

const deadlineMs = 30_000

/** Token requests to Keystone. They are safe to repeat, so all of them are retried. */
export interface Keystone {
  /**
   * Fails with `wrong_credentials` for a wrong or expired password, `unsupported` if a second factor is required,
   * `forbidden` if the token is valid but its user has no role in the scope, and `unauthorized` for invalid tokens and
   * secrets.
   */
  issue(credentials: Credentials, scope?: AuthScope): Promise<Token>
  /** Returns the details of a token. Throws an `unauthorized` error if it is no longer valid. */
  inspect(token: Secret): Promise<Token>
  /** Revokes a token. Succeeds if the token is already invalid. */
  revoke(token: Secret): Promise<void>
}

export function createKeystone(exchange: HttpExchange, { root }: Endpoint): Keystone {
  const url = new URL(`${root}/auth/tokens`)
  const call = (verb: Call['verb'], headers: Record<string, string>, body?: string): Call => ({
    service: 'identity',
    lane: 'calls',
    verb,
    url,
    headers: { accept: 'application/json', ...headers },
    mayRepeat: true,
    requestId: null,
    ...(body !== undefined && { body }),
  })
  const ask = async (one: Call) => {
    const deadline = startDeadline(deadlineMs)
    try {
      return await exchange.whole(one, deadline)
    } finally {
      deadline.end()
    }
  }
  const about = (token: Secret) => ({ 'x-auth-token': token.reveal(), 'x-subject-token': token.reveal() })

  async function inspect(token: Secret) {
    const answer = await ask(call('GET', about(token)))
    if (answer.status === 404) throw ended(answer)
    if (answer.status !== 200) throw refusal('identity', answer, [token.reveal()])
    return tokenIn(answer, token.reveal(), false)
  }
  /**
   * Returns the Problem for a refused token request. Keystone returns 401 both for an invalid token and for a user
   * without a role in the scope; `inspect` distinguishes the two.
   */
  async function refused(answer: Answer, credentials: Credentials, hidden: string[]): Promise<Problem> {
    if (answer.status === 404 && credentials.method === 'token') return ended(answer)
    const told = refusal('identity', answer, hidden)
    if (answer.status !== 401) return told
    const { data } = told
    if (answer.headers['openstack-auth-receipt'] !== undefined) {
      return problem('identity.second_factor_of_cloud', {}, { data })
    }
    if (credentials.method === 'password') {
      const isExpired = /password is expired/i.test(told.message)
      return isExpired
        ? cloudSays(told.message, { code: 'wrong_credentials', data })
        : problem('identity.wrong_credentials', {}, { data })
    }
    if (credentials.method === 'token') {
      await inspect(credentials.token)
      return problem('identity.no_role_there', {}, { data })
    }
    return told
  }

  return {
    inspect,
    async issue(credentials, scope) {
      const body = JSON.stringify(authRequest(credentials, scope))
      const answer = await ask(call('POST', { 'content-type': 'application/json' }, body))
      const hidden = [secretOf(credentials).reveal()]
      if (answer.status !== 201 && answer.status !== 200) throw await refused(answer, credentials, hidden)
      const id = answer.headers['x-subject-token']
      if (typeof id !== 'string' || id === '') throw invalidResponse('identity', answer, 'a token is missing')
      return tokenIn(answer, id, true)
    },
    async revoke(token) {
      const answer = await ask(call('DELETE', about(token)))
      if (answer.status >= 300 && ![401, 404].includes(answer.status)) {
        throw refusal('identity', answer, [token.reveal()])
      }
    },
  }
}

const ended = (answer: Answer) => problem('identity.cloud_forgot_sign_in', {}, { data: facts('identity', answer) })

function secretOf(credentials: Credentials): Secret {
  switch (credentials.method) {
    case 'password':
      return credentials.password
    case 'token':
      return credentials.token
    case 'application_credential':
      return credentials.secret
  }
}

function tokenIn(answer: Answer, id: string, isNew: boolean): Token {
  try {
    return readToken(id, WireToken.parse(JSON.parse(answer.text)), isNew)
  } catch (cause) {
    throw invalidResponse('identity', answer, 'invalid token data', cause)
  }
}
