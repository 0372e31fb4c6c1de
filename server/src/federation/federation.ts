import { LANDING_PATH } from '@mainstay/contract/identity/hand-over'
import { notFound, problemOf } from '@mainstay/contract/core/problems'
import type { DomainProvider, Protocol } from '@mainstay/contract/identity/identity-providers'
import type { KeptProvider, FederationPort } from '@mainstay/engines/ports/federation'
import type { Authenticated, IdentityPort } from '@mainstay/engines/ports/identity'
import { Secret } from '@mainstay/engines/ports/secret'
import { says } from '@mainstay/contract/core/said'
import { HAND_OVER_SECONDS, type ExternalSignIns } from '../session/external-sign-ins'
import { seal, unseal } from '../session/sealing'
import { makeToken } from '../session/tokens'
import { createOutboundClient } from './outbound-client'
import { mapClaims } from './mapping'
import { createOpenId, isOpenId, type Challenge, type Source } from './openid'
import { HandOverRefusal } from './refusal'
import type { SamlClaims } from './saml/assertion'
import type { ReadMetadata } from './saml/metadata'
import { createSaml, isSaml, type MetadataSource } from './saml/saml'

/** Time limit for a sign-in through a provider, in seconds. */
const SIGN_IN_SECONDS = 10 * 60

/**
 * A sign-in in progress, stored in the database and encrypted with its state. A SAML response arrives in a form posted
 * from another site; it is kept as `said` until the browser proves that it began this sign-in.
 */
interface Begun extends Partial<Challenge> {
  provider_id: string
  saml?: { request_id: string; address: string }
  said?: { claims: SamlClaims; session_ends: string | null }
}

/** Sign-in through domains' identity providers. */
export interface Federation {
  /** Encrypts the client secret of the provider with this ID. */
  seal(secret: string, providerId: string): Buffer
  /** Client secrets of all providers, to be redacted from output. Omits secrets encrypted with another key. */
  secrets(): Promise<Secret[]>
  /**
   * Tests a provider with the same requests as a sign-in. Throws a `provider_unreachable` or `provider_untrusted`
   * error; for hosts in private networks, only operators see the actual cause.
   */
  test(source: Source, isOperator: boolean): ReturnType<ReturnType<typeof createOpenId>['test']>
  /**
   * Begins a sign-in. Returns the URL for the browser, and a secret with which the browser later proves that it began
   * the sign-in. `ownAddress`: the URL from `consoleAddresses.ofSignIn`, not from the request. Throws a `not_found`
   * error if the provider is not available for sign-in, and a `provider_unreachable` or `provider_untrusted` error if
   * it does not respond correctly.
   */
  begin(providerId: string, ownAddress: string): Promise<{ address: string; browserSecret: string }>
  /**
   * Accepts, only once, the response with which a browser returns from a provider. Returns the provider and a function
   * that identifies the user and may throw a `HandOverRefusal`. Throws a `HandOverRefusal` itself if this browser did
   * not begin the sign-in.
   */
  accept(
    answer: URLSearchParams,
    browserSecret: string | null,
  ): Promise<{ providerId: string; look: () => Promise<Authenticated> }>
  /**
   * Accepts, only once, the form that a SAML provider makes the browser post. The form comes from the provider's site
   * and therefore without our cookies. Returns the state that the browser then passes to `accept`. Throws a
   * `HandOverRefusal`.
   */
  receive(form: URLSearchParams): Promise<string>
  /**
   * Returns the claims in a response from a SAML provider in this domain, regardless of the request it answers. Throws
   * a `HandOverRefusal`.
   */
  readResponse(provider: DomainProvider, response: string, ownAddress: string): Promise<SamlClaims>
  /**
   * Parses the metadata of a SAML provider. Throws the same errors as `test`, with details if the caller entered the
   * metadata.
   */
  readMetadata(source: MetadataSource, isOperator: boolean): Promise<ReadMetadata>
  close(): Promise<void>
}

const placeOf = (providerId: string): string => `identity provider ${providerId}`

/** Callback path of a domain's providers, relative to the console URL. */
const callbackOf = (domainId: string, protocol: Protocol): string =>
  `${LANDING_PATH}/${protocol}/${encodeURIComponent(domainId)}`

/** ACS URL and entity ID of this service for a domain's providers, given the console URL. */
export function samlNames(ownAddress: string, domainId: string): { acs: string; entityId: string } {
  const acs = `${ownAddress}${callbackOf(domainId, 'saml')}`
  return { acs, entityId: `${acs}/metadata` }
}

/** A failure of a provider in a private network, whose details are hidden from everyone but operators. */
class InsideRefusal extends HandOverRefusal {
  constructor(cause: unknown) {
    super(
      'provider_unavailable',
      'The provider cannot be reached, or another service responds in its place. It is in a private network, so only system administrators see the details',
      cause,
    )
  }
}

const codeOf = ({ reason }: HandOverRefusal): keyof typeof providerWords =>
  reason === 'provider_unavailable' ? 'provider_unreachable' : 'provider_untrusted'

const told = (error: unknown): never => {
  if (!(error instanceof HandOverRefusal)) throw error
  const code = codeOf(error)
  const words = error instanceof InsideRefusal ? says('identity.provider_inside') : providerWords[code]
  throw problemOf(words, { field: 'issuer', code, cause: error })
}
/** Like `told`, but for metadata. The message has details if the caller entered the metadata and therefore knows it. */
const toldOfMetadata =
  ({ metadata }: MetadataSource) =>
  (error: unknown): never => {
    if (!(error instanceof HandOverRefusal)) throw error
    const code = codeOf(error)
    const isFixed = metadata === null && code === 'provider_unreachable' && !(error instanceof InsideRefusal)
    const words = isFixed ? providerWords[code] : says('identity.provider_says', { reason: error.message })
    throw problemOf(words, { field: metadata === null ? 'metadata_url' : 'metadata', code, cause: error })
  }
/** Fixed messages. They contain no details of the response, which could reveal an internal service. */
const providerWords = {
  provider_unreachable: says('identity.provider_unreachable'),
  provider_untrusted: says('identity.provider_untrusted'),
}

const stale = () => new HandOverRefusal('stale', 'This browser did not start this sign-in, or the sign-in has expired')

export function createFederation(options: {
  identity: IdentityPort
  handOvers: ExternalSignIns
  sealingKey: Secret
  /** Hosts that may be requested regardless of the address that they resolve to. */
  trusted: readonly string[]
}): Federation {
  const { identity, handOvers, sealingKey } = options
  const ask = createOutboundClient(options.trusted)
  const openid = createOpenId(ask)
  const saml = createSaml(ask)
  const asking = <Result>(isOperator: boolean, work: () => Promise<Result>): Promise<Result> =>
    isOperator ? work() : ask.withOneAnswerInside(work, (cause) => new InsideRefusal(cause))
  const beginning = ({ metadata_url, issuer }: KeptProvider, work: () => Promise<string>): Promise<string> =>
    ask.withOneAnswerInside(work, (cause) => new InsideRefusal(cause), metadata_url ?? issuer)
  const port = (): FederationPort => {
    if (!identity.federation) throw notFound()
    return identity.federation
  }

  function secretOf({ id, sealed }: KeptProvider): Secret | null {
    if (sealed === null) return null
    const secret = unseal(sealed, sealingKey, placeOf(id))
    if (!secret) throw new HandOverRefusal('refused', 'This server cannot decrypt the client secret. Enter it again')
    return secret
  }

  async function findOpen(id: string): Promise<KeptProvider> {
    const provider = await port().providers.find(id)
    if (!provider) throw new HandOverRefusal('disabled', 'The provider was disabled or deleted in the meantime')
    return provider
  }

  /** Returns the user's claims once the browser has proved that it began this sign-in. */
  async function hear(provider: KeptProvider, { said, nonce, verifier, redirect_uri }: Begun, answer: URLSearchParams) {
    if (said)
      return { ...said, session_ends: said.session_ends === null ? null : new Date(said.session_ends), signOut: null }
    if (!nonce || !verifier || !redirect_uri || !isOpenId(provider)) throw stale()
    const challenge = { nonce, verifier, redirect_uri }
    return { ...(await openid.finish(provider, secretOf(provider), challenge, answer)), session_ends: null }
  }

  async function whoIs(begun: Begun, answer: URLSearchParams): Promise<Authenticated> {
    const provider = await findOpen(begun.provider_id)
    const { claims, session_ends, signOut } = await hear(provider, begun, answer)
    const found = mapClaims(provider.mapping, claims)
    if (found.refusal) throw new HandOverRefusal(found.refusal.reason, found.refusal.message)
    const entered = await port().enter(provider.id, claims.sub, found.mapped)
    if ('refusal' in entered) throw new HandOverRefusal(entered.refusal, entryWords[entered.refusal])
    const user = await identity.user(entered.userId)
    if (!user) throw new HandOverRefusal('disabled', entryWords.disabled)
    return {
      ...{ user, credential: null, expires_at: session_ends, bound: null },
      sign_out: signOut === null ? null : new Secret(signOut),
    }
  }

  function samlOf(provider: DomainProvider): DomainProvider & { sso_url: string } {
    if (!isSaml(provider)) throw stale()
    return provider
  }

  /** Processes a form posted by a SAML provider for the sign-in identified by its state. */
  async function hearForm(text: Secret, form: URLSearchParams): Promise<Secret> {
    const { provider_id, saml: begun } = JSON.parse(text.reveal()) as Begun
    if (!begun) throw stale()
    const provider = samlOf(await findOpen(provider_id))
    const responses = form.getAll('SAMLResponse')
    if (responses.length !== 1)
      throw new HandOverRefusal('refused', 'The form does not contain a response of a SAML provider')
    const names = samlNames(begun.address, provider.domain_id)
    const meant = { ...names, issuer: provider.issuer, requestId: begun.request_id }
    const { claims, sessionEnds } = await saml.finish(provider, meant, responses[0]!)
    const said = { claims, session_ends: sessionEnds?.toISOString() ?? null }
    return new Secret(JSON.stringify({ provider_id, said } satisfies Begun))
  }

  return {
    seal: (secret, providerId) => seal(new Secret(secret), sealingKey, placeOf(providerId)),

    async secrets() {
      const all = (await identity.federation?.providers.sealed()) ?? []
      return all.flatMap(({ id, sealed }) => unseal(sealed, sealingKey, placeOf(id)) ?? [])
    },

    test: (source, isOperator) => asking(isOperator, () => openid.test(source)).catch(told),

    readMetadata: (source, isOperator) => asking(isOperator, () => saml.read(source)).catch(toldOfMetadata(source)),

    async begin(providerId, ownAddress) {
      const provider = await port().providers.find(providerId)
      if (!provider) throw notFound()
      const browserSecret = makeToken()
      const keep = (begun: Omit<Begun, 'provider_id'>) =>
        handOvers.keep(
          new Secret(JSON.stringify({ provider_id: provider.id, ...begun } satisfies Begun)),
          [browserSecret],
          SIGN_IN_SECONDS,
        )
      if (isSaml(provider)) {
        const requestId = saml.makeRequestId()
        const meant = { ...samlNames(ownAddress, provider.domain_id), issuer: provider.issuer, requestId }
        const state = await keep({ saml: { request_id: requestId, address: ownAddress } })
        return {
          address: await beginning(provider, () => saml.begin(provider, meant, state)).catch(told),
          browserSecret,
        }
      }
      if (!isOpenId(provider)) throw notFound()
      const challenge = openid.makeChallenge(`${ownAddress}${callbackOf(provider.domain_id, 'openid')}`)
      const state = await keep(challenge)
      return {
        address: await beginning(provider, () => openid.begin(provider, challenge, state)).catch(told),
        browserSecret,
      }
    },

    async accept(answer, browserSecret) {
      const states = answer.getAll('state')
      const kept =
        states.length === 1 && browserSecret !== null ? await handOvers.redeem(states[0]!, [browserSecret]) : null
      if (!kept) throw stale()
      const begun = JSON.parse(kept.reveal()) as Begun
      return { providerId: begun.provider_id, look: () => whoIs(begun, answer) }
    },

    async receive(form) {
      const states = form.getAll('RelayState')
      if (states.length !== 1)
        throw new HandOverRefusal('stale', 'The form does not belong to a request. Start the sign-in in this console')
      const state = await handOvers.exchange(states[0]!, (text) => hearForm(text, form), HAND_OVER_SECONDS)
      if (state === null) throw stale()
      return state
    },

    async readResponse(provider, response, ownAddress) {
      const names = samlNames(ownAddress, provider.domain_id)
      const meant = { ...names, issuer: provider.issuer, requestId: null }
      return (await saml.finish(samlOf(provider), meant, response)).claims
    },

    close: () => ask.close(),
  }
}

/** Messages for sign-ins that are refused although the claims are valid. */
export const entryWords = {
  name_taken: 'Another user of the domain has this name',
  disabled: 'Access is disabled for this user',
} as const
