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

/** How long somebody may take to sign in at a provider, seconds. */
const SIGN_IN_SECONDS = 10 * 60

/**
 * A sign-in that goes on elsewhere, as it is kept: sealed with its state, in the database. With SAML the answer comes in a form of
 * another site, and is kept as `said` until the browser shows that it has begun this.
 */
interface Begun extends Partial<Challenge> {
  provider_id: string
  saml?: { request_id: string; address: string }
  said?: { claims: SamlClaims; session_ends: string | null }
}

/** Sign-in through the identity providers of domains. */
export interface Federation {
  /** Seals a client secret for the provider of this id. */
  seal(secret: string, providerId: string): Buffer
  /** Client secrets of all providers, for what must not tell them; those of another key are left out. */
  secrets(): Promise<Secret[]>
  /**
   * Asks a provider what a sign-in would ask. Throws `provider_unreachable`, `provider_untrusted`; of private networks `isOperator` alone is
   * told which.
   */
  test(source: Source, isOperator: boolean): ReturnType<ReturnType<typeof createOpenId>['test']>
  /**
   * Begins a sign-in: where the browser goes, and what it keeps to show that it has begun it. `ownAddress`: from the settings, not from
   * the request (`consoleAddresses.ofSignIn`). Throws `not_found` for a provider that is not open, `provider_unreachable`,
   * `provider_untrusted`.
   */
  begin(providerId: string, ownAddress: string): Promise<{ address: string; browserSecret: string }>
  /**
   * Takes the answer with which a browser comes back; once. Answers the provider, and how to find out who it is, which throws a
   * `HandOverRefusal`. Throws one for an answer to nothing that this browser has begun.
   */
  accept(
    answer: URLSearchParams,
    browserSecret: string | null,
  ): Promise<{ providerId: string; look: () => Promise<Authenticated> }>
  /**
   * Takes the form that a SAML provider has a browser send, from its own site and so without our cookies; once. Answers the state with
   * which the browser comes back for `accept`. Throws a `HandOverRefusal`.
   */
  receive(form: URLSearchParams): Promise<string>
  /** What a response of a SAML provider of this domain says, whatever request it answers. Throws a `HandOverRefusal`. */
  readResponse(provider: DomainProvider, response: string, ownAddress: string): Promise<SamlClaims>
  /**
   * What metadata of a SAML provider say. Throws as `test` does, with the words of what is wrong with metadata that were entered.
   */
  readMetadata(source: MetadataSource, isOperator: boolean): Promise<ReadMetadata>
  close(): Promise<void>
}

const placeOf = (providerId: string): string => `identity provider ${providerId}`

/** Where a provider of the domain sends people back to, below the address of the console. */
const callbackOf = (domainId: string, protocol: Protocol): string =>
  `${LANDING_PATH}/${protocol}/${encodeURIComponent(domainId)}`

/** What providers of a domain know us by, with the console at this address. */
export function samlNames(ownAddress: string, domainId: string): { acs: string; entityId: string } {
  const acs = `${ownAddress}${callbackOf(domainId, 'saml')}`
  return { acs, entityId: `${acs}/metadata` }
}

/** A provider in a private network that cannot be used: what is wrong there is told to operators alone. */
class InsideRefusal extends HandOverRefusal {
  constructor(cause: unknown) {
    super(
      'provider_unavailable',
      'The provider cannot be asked, or what answers is not this provider. It is in a private network, of which only a system administrator is told more',
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
/** The same of metadata: their own words where who asks has entered them, and so knows them. */
const toldOfMetadata =
  ({ metadata }: MetadataSource) =>
  (error: unknown): never => {
    if (!(error instanceof HandOverRefusal)) throw error
    const code = codeOf(error)
    const isFixed = metadata === null && code === 'provider_unreachable' && !(error instanceof InsideRefusal)
    const words = isFixed ? providerWords[code] : says('identity.provider_says', { reason: error.message })
    throw problemOf(words, { field: metadata === null ? 'metadata_url' : 'metadata', code, cause: error })
  }
/** Fixed words: what else the other side says is not told, so nobody reads through us what answers inside. */
const providerWords = {
  provider_unreachable: says('identity.provider_unreachable'),
  provider_untrusted: says('identity.provider_untrusted'),
}

const stale = () => new HandOverRefusal('stale', 'This browser has not begun this sign-in, or it is over')

export function createFederation(options: {
  identity: IdentityPort
  handOvers: ExternalSignIns
  sealingKey: Secret
  /** Hosts that are asked wherever they are. */
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
    if (!secret) throw new HandOverRefusal('refused', 'This server cannot open the client secret: enter it again')
    return secret
  }

  async function findOpen(id: string): Promise<KeptProvider> {
    const provider = await port().providers.find(id)
    if (!provider) throw new HandOverRefusal('disabled', 'The provider was disabled or deleted meanwhile')
    return provider
  }

  /** What the provider says of somebody, now that the browser is known to have begun this. */
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

  /** What a form of a SAML provider says, of the sign-in whose state it brings. */
  async function hearForm(text: Secret, form: URLSearchParams): Promise<Secret> {
    const { provider_id, saml: begun } = JSON.parse(text.reveal()) as Begun
    if (!begun) throw stale()
    const provider = samlOf(await findOpen(provider_id))
    const responses = form.getAll('SAMLResponse')
    if (responses.length !== 1) throw new HandOverRefusal('refused', 'The form holds no response of a SAML provider')
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
        throw new HandOverRefusal('stale', 'The form answers nothing: a sign-in begins at this console')
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

/** Why nobody enters with claims that a provider has sent, in words. */
export const entryWords = {
  name_taken: 'Another user of the domain has this name',
  disabled: 'Access is disabled for this user',
} as const
