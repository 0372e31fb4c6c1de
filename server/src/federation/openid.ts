import * as client from 'openid-client'
import * as z from 'zod'
import type { KeptProvider } from '@mainstay/engines/ports/federation'
import type { Secret } from '@mainstay/engines/ports/secret'
import { ForbiddenAddress, LongAnswer, type OutboundClient } from './outbound-client'
import { HandOverRefusal } from './refusal'

/** Maximum clock skew between the provider and this server, in seconds. */
export const CLOCK_TOLERANCE = 60
/** How long metadata is cached, in milliseconds, so that many sign-ins cause few requests to the provider. */
const METADATA_MS = 30_000

/** Maximum number of cached metadata documents. */
const MOST_KEPT = 1000

const Metadata = z.looseObject({
  issuer: z.string(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  jwks_uri: z.url(),
  userinfo_endpoint: z.url().optional(),
  end_session_endpoint: z.url().optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
})
type Metadata = z.infer<typeof Metadata>

export type Source = Pick<KeptProvider, 'issuer' | 'metadata_url' | 'request_timeout'>

/** A provider that is configured for OpenID Connect. */
export type OpenIdProvider = KeptProvider & { client_id: string; scope: string }
export const isOpenId = (provider: KeptProvider): provider is OpenIdProvider =>
  provider.protocol === 'openid' && provider.client_id !== null && provider.scope !== null

/** Values stored when a sign-in begins, until the response arrives. */
export interface Challenge {
  nonce: string
  verifier: string
  redirect_uri: string
}

/** Errors for a provider that sends invalid data, or that is unavailable. */
const untrusted = (message: string, cause?: unknown) => new HandOverRefusal('provider_untrusted', message, cause)
const unavailable = (message: string, cause?: unknown) => new HandOverRefusal('provider_unavailable', message, cause)

/** An error and the chain of its causes. */
function* causesOf(error: unknown): Generator<unknown> {
  for (let at = error, depth = 0; at !== undefined && at !== null && depth < 8; depth += 1) {
    yield at
    at = (at as { cause?: unknown }).cause
  }
}

const said = (error: unknown): string => [...causesOf(error)].map((it) => (it as Error).message ?? '').join(': ')

/** Converts an error from a request to a provider into a reason for users. */
function refusalOf(error: unknown): HandOverRefusal {
  if (error instanceof HandOverRefusal) return error
  const causes = [...causesOf(error)]
  if (causes.some((it) => it instanceof ForbiddenAddress)) return unavailable(said(error), error)
  if (causes.some((it) => it instanceof LongAnswer)) return untrusted(said(error), error)
  if (error instanceof client.AuthorizationResponseError)
    return /^(server_error|temporarily_unavailable)$/.test(error.error)
      ? unavailable(`The provider returned ${error.error}`, error)
      : new HandOverRefusal('declined', `The provider returned ${error.error.slice(0, 64)}`, error)
  if (error instanceof client.ResponseBodyError)
    return error.status >= 500
      ? unavailable(`The provider returned the status ${error.status}`, error)
      : new HandOverRefusal('refused', `The provider rejected the code: ${error.error.slice(0, 64)}`, error)
  const { code } = error as { code?: unknown }
  const failed = causes.find((it) => it instanceof Response)
  if (failed && failed.status >= 500) return unavailable(`The provider returned the status ${failed.status}`, error)
  if (code === 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED')
    return new HandOverRefusal(
      'provider_clock',
      `Its clock differs by more than ${CLOCK_TOLERANCE} s: ${said(error)}`,
      error,
    )
  if (typeof code === 'string' && code.startsWith('OAUTH_') && code !== 'OAUTH_TIMEOUT')
    return untrusted(said(error), error)
  return unavailable(said(error), error)
}

/** OpenID Connect client: fetches metadata, begins sign-ins and completes them. */
export function createOpenId(ask: OutboundClient) {
  const kept = new Map<string, { at: number; metadata: Promise<Metadata> }>()

  async function json(address: string, seconds: number): Promise<unknown> {
    const answer = await ask.fetch(address, {
      signal: AbortSignal.timeout(seconds * 1000),
      headers: { accept: 'application/json' },
    })
    if (answer.status >= 500) throw unavailable(`The provider returned the status ${answer.status}`)
    if (answer.status !== 200) throw untrusted(`The metadata URL returned the status ${answer.status}`)
    try {
      return await answer.json()
    } catch (error) {
      throw untrusted('The metadata of the provider are not JSON', error)
    }
  }

  async function readMetadata({ issuer, metadata_url, request_timeout }: Source): Promise<Metadata> {
    const usual = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
    const parsed = Metadata.safeParse(
      await json(metadata_url ?? usual, request_timeout).catch((error: unknown) => {
        throw refusalOf(error)
      }),
    )
    if (!parsed.success) throw untrusted('The metadata of the provider are incomplete')
    const metadata = parsed.data
    // Entra and Google omit the trailing slash and others include it; everything else in the issuer must match exactly
    if (metadata.issuer.replace(/\/$/, '') !== issuer.replace(/\/$/, ''))
      throw untrusted(`The metadata belong to another issuer: ${metadata.issuer.slice(0, 255)}`)
    try {
      for (const it of [metadata.authorization_endpoint, metadata.token_endpoint, metadata.jwks_uri])
        ask.check(new URL(it))
    } catch (error) {
      throw untrusted(`The metadata contain a URL that is not allowed: ${said(error)}`, error)
    }
    return metadata
  }

  function metadataOf(source: KeptProvider): Promise<Metadata> {
    const key = JSON.stringify([source.id, source.issuer, source.metadata_url])
    const known = kept.get(key)
    if (known && performance.now() - known.at < METADATA_MS) return known.metadata
    const metadata = readMetadata(source)
    kept.delete(key)
    kept.set(key, { at: performance.now(), metadata })
    metadata.catch(() => kept.delete(key))
    if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value!)
    return metadata
  }

  async function configurationOf(provider: OpenIdProvider, secret: Secret | null): Promise<client.Configuration> {
    const metadata = await metadataOf(provider)
    const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const proof =
      secret === null
        ? client.None()
        : methods.includes('client_secret_basic')
          ? client.ClientSecretBasic(secret.reveal())
          : client.ClientSecretPost(secret.reveal())
    const configuration = new client.Configuration(
      metadata as client.ServerMetadata,
      provider.client_id,
      { [client.clockTolerance]: CLOCK_TOLERANCE },
      proof,
    )
    configuration.timeout = provider.request_timeout
    configuration[client.customFetch] = (address, { signal, ...init }) =>
      ask.fetch(address, { ...init, signal: signal ?? AbortSignal.timeout(provider.request_timeout * 1000) })
    client.enableNonRepudiationChecks(configuration)
    // `ask` has already refused forbidden URLs; trusted hosts may be requested without TLS
    // oxlint-disable-next-line typescript/no-deprecated -- the library marks its exceptional functions as deprecated
    client.allowInsecureRequests(configuration)
    return configuration
  }

  /** Sign-out URL at the provider (OpenID Connect RP-Initiated Logout 1.0). */
  function signOutAt(configuration: client.Configuration, idToken: string): string | null {
    const endpoint = configuration.serverMetadata().end_session_endpoint
    if (endpoint === undefined) return null
    try {
      ask.check(new URL(endpoint))
    } catch {
      // an invalid sign-out URL must not prevent signing in
      return null
    }
    return client.buildEndSessionUrl(configuration, { id_token_hint: idToken }).href
  }

  return {
    /** Fetches metadata and keys without caching them. Throws a `HandOverRefusal`. */
    async test(source: Source): Promise<{ issuer: string; keys: number; has_userinfo: boolean }> {
      const metadata = await readMetadata(source)
      const keys = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).min(1) }).safeParse(
        await json(metadata.jwks_uri, source.request_timeout).catch((error: unknown) => {
          throw refusalOf(error)
        }),
      )
      if (!keys.success) throw untrusted('The provider has no keys at its key URL')
      return {
        issuer: metadata.issuer,
        keys: keys.data.keys.length,
        has_userinfo: metadata.userinfo_endpoint !== undefined,
      }
    },

    makeChallenge: (redirect_uri: string): Challenge => ({
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
      redirect_uri,
    }),

    /** Returns the sign-in URL for the browser. Throws a `HandOverRefusal`. */
    async begin(
      provider: OpenIdProvider,
      { nonce, verifier, redirect_uri }: Challenge,
      state: string,
    ): Promise<string> {
      const configuration = await configurationOf(provider, null)
      return client.buildAuthorizationUrl(configuration, {
        redirect_uri,
        scope: provider.scope,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      }).href
    },

    /**
     * Exchanges the code in `answer` for claims: the claims of the ID token, after checking its signature, issuer,
     * audience, times and nonce, and the claims of the user info for the same subject. Also returns the sign-out URL at
     * the provider, if it has one. Throws a `HandOverRefusal`.
     */
    async finish(
      provider: OpenIdProvider,
      secret: Secret | null,
      { nonce, verifier, redirect_uri }: Challenge,
      answer: URLSearchParams,
    ): Promise<{ claims: Record<string, unknown> & { sub: string }; signOut: string | null }> {
      try {
        const configuration = await configurationOf(provider, secret)
        const tokens = await client.authorizationCodeGrant(configuration, new URL(`?${answer}`, redirect_uri), {
          pkceCodeVerifier: verifier,
          expectedNonce: nonce,
          expectedState: answer.get('state') ?? '',
          idTokenExpected: true,
        })
        const claims = tokens.claims()!
        if (claims.sub.trim() === '') throw untrusted('The subject of its ID token is empty')
        if (claims.iat > Date.now() / 1000 + CLOCK_TOLERANCE)
          throw new HandOverRefusal('provider_clock', `Its ID token was issued in the future: ${claims.iat}`)
        const signOut = signOutAt(configuration, tokens.id_token!)
        if (!configuration.serverMetadata().userinfo_endpoint) return { claims, signOut }
        const more = await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
        return { claims: { ...more, ...claims }, signOut }
      } catch (error) {
        throw refusalOf(error)
      }
    },
  }
}
export type OpenId = ReturnType<typeof createOpenId>
