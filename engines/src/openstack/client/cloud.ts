import { createHash } from 'node:crypto'
import { Problem, problem } from '@mainstay/contract/core/problems'
import type { Log } from '../../ports/records'
import type { Secret } from '../../ports/secret'
import type { Shared } from './authenticated-request'
import type { ServiceClient } from './service-client'
import { createServiceClient } from './calls'
import { type EndpointOptions, endpointOf, identityEndpoint } from './catalogue'
import type { AuthScope, Credentials } from './credentials'
import { createHttpExchange } from './exchange'
import { createCache } from './cache'
import { createKeystone, type Keystone } from './keystone'
import type { Token } from './token-shape'
import { accountTokens, heldToken, type TokenSource } from './tokens'
import { createTransport, type TransportOptions } from './transport'
import { createVersions } from './versions'

export interface CloudOptions extends EndpointOptions, TransportOptions {
  /** Keystone URL, with or without `/v3`. Takes precedence over the catalogue. */
  authUrl: string
  log: Log
}

/** One cloud, with its connections, services and token sources. */
export interface Cloud {
  /** Returns a client that uses these tokens. The cloud logs the request ID. */
  callerFor(tokens: TokenSource, options?: { requestId?: string }): ServiceClient
  /** Returns the tokens for a service account that signs in with a password. */
  passwordTokens(account: Omit<Credentials & { method: 'password' }, 'method'>, scope?: AuthScope): TokenSource
  /**
   * Returns the tokens for a service account that signs in with an application credential, which determines the
   * project.
   */
  applicationCredentialTokens(account: ApplicationCredential): TokenSource
  /**
   * Returns the tokens for one project or domain, obtained with a user's sign-in token. The first call throws an
   * `unauthorized` error if the sign-in token is no longer valid, or a `forbidden` error if the user has no role there.
   */
  rescoped(token: Secret, id: string, place?: 'project' | 'domain'): TokenSource
  /**
   * Returns a user token that is bound to one project and cannot be rescoped. Throws an `unauthorized` error once it
   * has expired.
   */
  bound(token: Secret): TokenSource
  /** Returns a user token that is used as is and never renewed. */
  held(token: Token): TokenSource
  /** Issues a token without storing the credentials; see `Keystone.issue`. */
  authenticate(credentials: Credentials, scope?: AuthScope): Promise<Token>
  /** Returns the details of a token. Throws an `unauthorized` error if it is no longer valid. */
  inspect(token: Secret): Promise<Token>
  /** Revokes a token and the cached project tokens that were obtained with it. */
  revoke(token: Secret): Promise<void>
  /** Closes all connections; calls in progress fail. */
  close(): Promise<void>
}
type ApplicationCredential = Credentials extends infer One
  ? One extends { method: 'application_credential' }
    ? Omit<One, 'method'>
    : never
  : never

/** Maximum number of cached scoped tokens. */
const keptTokens = 5_000
/** Minimum remaining lifetime of a cached token to be used again, in milliseconds. */
const leastLeftMs = 30_000

/** Hashes a token, because cache keys must not contain tokens. */
const hashOf = (token: Secret) => createHash('sha256').update(token.reveal()).digest('base64')

/** Reports a failed sign-in of the service account as a configuration error rather than the caller's fault. */
async function asAccount(issuing: Promise<Token>): Promise<Token> {
  try {
    return await issuing
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error
    const { message, data } = error
    throw problem('core.service_account_sign_in', { reason: message }, { data, cause: error })
  }
}

export function createCloud(options: CloudOptions): Cloud {
  const { authUrl, log, overrides } = options
  const identity = identityEndpoint(overrides?.identity ?? authUrl)
  const transport = createTransport(options)
  const exchange = createHttpExchange(transport, log)
  const keystone: Keystone = createKeystone(exchange, identity)
  const kept = createCache<Token>(keptTokens, (token) => token.expiresAt.getTime() - leastLeftMs)
  const shared: Shared = {
    exchange,
    versions: createVersions(),
    endpoint: (service, token) =>
      service === 'identity' ? identity : endpointOf(service, token.catalogue, options, token.project?.id ?? null),
  }
  const account = (credentials: Credentials, scope?: AuthScope) =>
    accountTokens(() => asAccount(keystone.issue(credentials, scope)), log)

  return {
    callerFor: (tokens, { requestId } = {}) => createServiceClient(shared, tokens, requestId ?? null),
    passwordTokens: (one, scope) => account({ method: 'password', ...one }, scope),
    applicationCredentialTokens: (one) => account({ method: 'application_credential', ...one }),
    rescoped(token, id, place = 'project') {
      const key = `${hashOf(token)} ${place} ${id}`
      const scope = place === 'project' ? { project: { id } } : { domain: { id } }
      const issue = () => keystone.issue({ method: 'token', token }, scope)
      return {
        of: 'caller',
        token: () => kept.get(key, issue),
        // a role change invalidates a scoped token; the sign-in token may still be valid
        renew(refused) {
          kept.drop(key, refused)
          return kept.get(key, issue)
        },
      }
    },
    bound: (token) => ({
      of: 'caller',
      token: () => kept.get(`${hashOf(token)} `, () => keystone.inspect(token)),
      renew: async () => null,
    }),
    held: heldToken,
    authenticate: keystone.issue,
    inspect: keystone.inspect,
    async revoke(token) {
      const signIn = `${hashOf(token)} `
      const scoped = kept.take((key) => key.startsWith(signIn))
      await Promise.all([...scoped.map(({ id }) => id), token].map((one) => keystone.revoke(one)))
    },
    close: transport.close,
  }
}
