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
  /** Where the identity service is, with or without `/v3`. What the catalogue says of it does not count. */
  authUrl: string
  log: Log
}

/** One cloud: its connections, what it offers, and who acts in it. */
export interface Cloud {
  /** Calls with these tokens. The request's id goes into the cloud's own logs. */
  callerFor(tokens: TokenSource, options?: { requestId?: string }): ServiceClient
  /** Tokens of an account of ours, by its password. */
  passwordTokens(account: Omit<Credentials & { method: 'password' }, 'method'>, scope?: AuthScope): TokenSource
  /** Tokens of an account of ours, by an application credential; its project is part of it. */
  applicationCredentialTokens(account: ApplicationCredential): TokenSource
  /**
   * Tokens of who asks in one project, or in a domain, for the token of their sign-in. Throws (with the first call)
   * `unauthorized` where the sign-in is no longer good, `forbidden` where they have no role there.
   */
  rescoped(token: Secret, id: string, place?: 'project' | 'domain'): TokenSource
  /** A token of who asks that acts in one project and cannot be exchanged for another; `unauthorized` when it has ended. */
  bound(token: Secret): TokenSource
  /** One token of who asks, as it is. */
  held(token: Token): TokenSource
  /** A token for credentials that are not kept: see `Keystone.issue`. */
  authenticate(credentials: Credentials, scope?: AuthScope): Promise<Token>
  /** What a token is; `unauthorized` where it is none any more. */
  inspect(token: Secret): Promise<Token>
  /** Ends a token, and those of projects that were got for it. */
  revoke(token: Secret): Promise<void>
  /** Ends every connection; calls under way fail. */
  close(): Promise<void>
}
type ApplicationCredential = Credentials extends infer One
  ? One extends { method: 'application_credential' }
    ? Omit<One, 'method'>
    : never
  : never

/** Scoped tokens of tenants that are kept. */
const keptTokens = 5_000
/** What a kept token must have left, milliseconds, to be used for another call. */
const leastLeftMs = 30_000

/** Tokens are not kept as the words under which others are found. */
const hashOf = (token: Secret) => createHash('sha256').update(token.reveal()).digest('base64')

/** An account of ours that cannot sign in is a matter of the configuration, not of who asks. */
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
        // a scoped token ends with a change of roles; the sign-in behind it may still be good
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
