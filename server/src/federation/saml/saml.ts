import { randomBytes } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import type { DomainProvider } from '@mainstay/contract/identity/identity-providers'
import { ForbiddenAddress, LongAnswer, type OutboundClient } from '../outbound-client'
import { limits } from '../../limits'
import { HandOverRefusal } from '../refusal'
import { assertionIn, claimsOf, type Meant, type SamlClaims } from './assertion'
import { BadCertificate, authnRequest, readMetadata, type ReadMetadata, type SamlSettings } from './metadata'
import { BadSignature, readSigned } from './signed'
import { BadXml, MOST_XML, parseXml, textOf } from './xml'

/** How long metadata is cached, in milliseconds, so that many sign-ins cause few requests to the provider. */
const METADATA_MS = 30_000
const MOST_KEPT = 1000

/** Provider fields that are required for a sign-in. */
export type SamlProvider = Pick<
  DomainProvider,
  'id' | 'issuer' | 'metadata_url' | 'certificates' | 'request_timeout'
> & {
  sso_url: string
}
export const isSaml = <Provider extends DomainProvider>(
  provider: Provider,
): provider is Provider & { sso_url: string } => provider.protocol === 'saml' && provider.sso_url !== null

/** Source of the metadata, and the provider that it must describe. */
export type MetadataSource = Pick<DomainProvider, 'metadata_url' | 'request_timeout'> & {
  issuer: string | null
  metadata: string | null
}

const untrusted = (message: string, cause?: unknown) => new HandOverRefusal('provider_untrusted', message, cause)

/** Converts an error in a provider's XML into a reason for users. Any parser error means that the XML is invalid. */
function refusalOf(error: unknown): HandOverRefusal {
  if (error instanceof HandOverRefusal) return error
  if (error instanceof BadXml || error instanceof BadSignature || error instanceof BadCertificate)
    return untrusted(error.message, error)
  if (error instanceof ForbiddenAddress)
    return untrusted(`The metadata contain a sign-in URL that is not allowed: ${error.message}`, error)
  return untrusted('The XML of the provider cannot be read', error)
}

/** Decodes the XML of a response, given as Base64 from a form or as plain XML. Throws `BadXml`. */
function decoded(response: string): string {
  if (response.trimStart().startsWith('<')) return textOf(Buffer.from(response))
  const base64 = response.replaceAll(/\s/g, '')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw new BadXml('The response is not base64')
  if (base64.length > MOST_XML * 1.34) throw new BadXml(`The XML has more than ${MOST_XML / 1024} kB`)
  return textOf(Buffer.from(base64, 'base64'))
}

/** SAML 2.0 client: fetches metadata, begins sign-ins and completes them. */
export function createSaml(ask: OutboundClient) {
  const kept = new Map<string, { at: number; settings: Promise<SamlSettings> }>()

  async function fetchMetadata(address: string, seconds: number): Promise<string> {
    let answer: Response
    try {
      answer = await ask.fetch(address, { signal: AbortSignal.timeout(seconds * 1000) })
    } catch (error) {
      if (error instanceof LongAnswer) throw untrusted(error.message, error)
      throw new HandOverRefusal(
        'provider_unavailable',
        `The provider’s metadata cannot be read: ${wordsOf(error)}`,
        error,
      )
    }
    if (answer.status >= 500)
      throw new HandOverRefusal('provider_unavailable', `The provider returned the status ${answer.status}`)
    if (answer.status !== 200) throw untrusted(`The metadata URL returned the status ${answer.status}`)
    return textOf(new Uint8Array(await answer.arrayBuffer()))
  }

  /** Parses the given metadata, or fetches it without using the cache. Throws a `HandOverRefusal`. */
  async function read({ metadata, metadata_url, issuer, request_timeout }: MetadataSource): Promise<ReadMetadata> {
    try {
      const settings = readMetadata(metadata ?? (await fetchMetadata(metadata_url!, request_timeout)), issuer)
      ask.check(new URL(settings.sso_url))
      return settings
    } catch (error) {
      throw refusalOf(error)
    }
  }

  /** Current settings of a provider: from its metadata URL if it has one, otherwise as stored. */
  async function settingsOf(provider: SamlProvider): Promise<SamlSettings> {
    const { id, metadata_url, issuer, request_timeout } = provider
    if (metadata_url === null) return provider
    const key = JSON.stringify([id, metadata_url, issuer])
    const known = kept.get(key)
    if (known && performance.now() - known.at < METADATA_MS) return known.settings
    const settings = read({ metadata: null, metadata_url, issuer, request_timeout })
    kept.delete(key)
    kept.set(key, { at: performance.now(), settings })
    settings.catch(() => kept.delete(key))
    if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value!)
    return settings
  }

  return {
    read,

    makeRequestId: (): string => `_${randomBytes(20).toString('hex')}`,

    /** Returns the sign-in URL for the browser, using the redirect binding. Throws a `HandOverRefusal`. */
    async begin(provider: SamlProvider, meant: Meant & { requestId: string }, state: string): Promise<string> {
      const { sso_url: to } = await settingsOf(provider)
      const { requestId: id, entityId, acs } = meant
      const address = new URL(to)
      try {
        ask.check(address)
      } catch (error) {
        throw refusalOf(error)
      }
      const request = deflateRawSync(authnRequest({ id, issued: new Date(), entityId, acs, to }))
      address.searchParams.set('SAMLRequest', request.toString('base64'))
      address.searchParams.set('RelayState', state)
      return address.href
    },

    /**
     * Returns the claims in a response after checking its signature, audience and times, and the request that it
     * answers. Throws a `HandOverRefusal`.
     */
    async finish(
      provider: SamlProvider,
      meant: Meant,
      response: string,
    ): Promise<{ claims: SamlClaims; sessionEnds: Date | null }> {
      const { certificates } = await settingsOf(provider)
      try {
        const text = decoded(response)
        const assertion = assertionIn(parseXml(text, { comments: 'refused', tags: limits.samlResponse.tags }), meant)
        return claimsOf(readSigned(assertion, text, certificates), meant)
      } catch (error) {
        throw refusalOf(error)
      }
    },
  }
}

const wordsOf = (error: unknown): string => {
  const { message, cause } = error as { message?: string; cause?: { message?: string } }
  return (cause?.message ?? message ?? 'no answer').slice(0, 200)
}
