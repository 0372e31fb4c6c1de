import { LANDING_PATH } from '@mainstay/contract/identity/hand-over'
import { notFound, Problem } from '@mainstay/contract/core/problems'
import type { KeptProvider, FederationPort } from '@mainstay/engines/ports/federation'
import type { Authenticated, IdentityPort } from '@mainstay/engines/ports/identity'
import { Secret } from '@mainstay/engines/ports/secret'
import type { HandOvers } from '../session/hand-overs'
import { seal, unseal } from '../session/sealing'
import { makeToken } from '../session/tokens'
import { createAsk } from './ask'
import { mapClaims } from './mapping'
import { createOpenId, type Challenge, type Source } from './openid'
import { HandOverRefusal } from './refusal'

/** How long somebody may take to sign in at a provider, seconds. */
const SIGN_IN_SECONDS = 10 * 60

/** A sign-in that goes on elsewhere, as it is kept: sealed with its state, in the database. */
interface Begun extends Challenge {
  provider_id: string
}

/** Sign-in through the identity providers of domains. */
export interface Federation {
  /** Seals a client secret for the provider of this id. */
  seal(secret: string, providerId: string): Buffer
  /** Asks a provider what a sign-in would ask. Throws `provider_unreachable`, `provider_untrusted`, `provider_forbidden`. */
  test(source: Source): ReturnType<ReturnType<typeof createOpenId>['test']>
  /**
   * Begins a sign-in: where the browser goes, and what it keeps to show that it has begun it. Throws `not_found` for a provider
   * that is not open, `provider_unreachable`, `provider_untrusted`.
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
  close(): Promise<void>
}

const placeOf = (providerId: string): string => `identity provider ${providerId}`

/** Where a provider of the domain sends people back to, below the address of the console. */
const callbackOf = (domainId: string): string => `${LANDING_PATH}/openid/${encodeURIComponent(domainId)}`

const told = (error: unknown): never => {
  if (!(error instanceof HandOverRefusal)) throw error
  const code = error.reason === 'provider_unavailable' ? 'provider_unreachable' : 'provider_untrusted'
  throw new Problem(code, providerWords[code], { cause: error, fields: { issuer: [providerWords[code]] } })
}
/** Fixed words: what else the other side says is not told, so nobody reads through us what answers inside. */
const providerWords = {
  provider_unreachable:
    'The provider cannot be asked: it does not answer in time, or its address is not one that is asked',
  provider_untrusted:
    'What answers there is not this provider: its metadata or keys are missing, or are of another issuer',
}

export function createFederation(options: {
  identity: IdentityPort
  handOvers: HandOvers
  sealingKey: Secret
  /** Hosts that are asked wherever they are. */
  trusted: readonly string[]
}): Federation {
  const { identity, handOvers, sealingKey } = options
  const ask = createAsk(options.trusted)
  const openid = createOpenId(ask)
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

  async function whoIs({ provider_id, ...challenge }: Begun, answer: URLSearchParams): Promise<Authenticated> {
    const provider = await port().providers.find(provider_id)
    if (!provider) throw new HandOverRefusal('disabled', 'The provider was disabled or deleted meanwhile')
    const claims = await openid.finish(provider, secretOf(provider), challenge, answer)
    const found = mapClaims(provider.mapping, claims)
    if (found.refusal) throw new HandOverRefusal(found.refusal.reason, found.refusal.message)
    const entered = await port().enter(provider.id, claims.sub, found.mapped)
    if ('refusal' in entered) throw new HandOverRefusal(entered.refusal, entryWords[entered.refusal])
    const user = await identity.user(entered.userId)
    if (!user) throw new HandOverRefusal('disabled', entryWords.disabled)
    return { user, credential: null, expires_at: null, bound: null }
  }

  return {
    seal: (secret, providerId) => seal(new Secret(secret), sealingKey, placeOf(providerId)),

    test: (source) => openid.test(source).catch(told),

    async begin(providerId, ownAddress) {
      const provider = await port().providers.find(providerId)
      if (!provider) throw notFound()
      const challenge = openid.makeChallenge(`${ownAddress}${callbackOf(provider.domain_id)}`)
      const browserSecret = makeToken()
      const begun: Begun = { provider_id: provider.id, ...challenge }
      const state = await handOvers.keep(new Secret(JSON.stringify(begun)), [browserSecret], SIGN_IN_SECONDS)
      return { address: await openid.begin(provider, challenge, state).catch(told), browserSecret }
    },

    async accept(answer, browserSecret) {
      const states = answer.getAll('state')
      const kept =
        states.length === 1 && browserSecret !== null ? await handOvers.redeem(states[0]!, [browserSecret]) : null
      if (!kept) throw new HandOverRefusal('stale', 'This browser has not begun this sign-in, or it is over')
      const begun = JSON.parse(kept.reveal()) as Begun
      return { providerId: begun.provider_id, look: () => whoIs(begun, answer) }
    },

    close: () => ask.close(),
  }
}

/** Why nobody enters with claims that a provider has sent, in words. */
export const entryWords = {
  name_taken: 'Another user of the domain has this name',
  disabled: 'Access is disabled for this user',
} as const
