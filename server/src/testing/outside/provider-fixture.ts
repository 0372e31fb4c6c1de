import {
  identityProviders,
  type DomainProvider,
  type ProviderDraft,
} from '@mainstay/contract/identity/identity-providers'
import { afterEach } from 'vitest'
import { admin, server } from '../directory-fixture'
import { CLIENT } from './openid-provider'

/* Sign-in through a domain's identity providers, as done by a browser. */

/** A minimal browser: keeps the cookies of each site and follows redirects one at a time. */
export function browser() {
  const jars = new Map<string, Map<string, string>>()
  async function go(address: string, init: { method?: string; headers?: Record<string, string>; body?: string } = {}) {
    const { origin } = new URL(address)
    const jar = jars.get(origin) ?? new Map<string, string>()
    jars.set(origin, jar)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(address, {
      ...init,
      redirect: 'manual',
      headers: { 'user-agent': 'Mozilla/5.0', ...(cookie && { cookie }), ...init.headers },
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      if (value === '' || /expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(name!)
      else jar.set(name!, value!)
    }
    const to = response.headers.get('location')
    return { response, to: to === null ? null : new URL(to, address).href }
  }
  const own = () => jars.get(server.url)
  return {
    go,
    session: () => own()?.get('session-self-service'),
    /** Goes from the sign-in page to a provider. Returns the URL at the provider. */
    async begin(id: string, at = server.url) {
      const { response } = await go(`${at}/api/v2/login/providers/${id}`, { method: 'POST', headers: { origin: at } })
      return { status: response.status, ...((await response.json()) as { address: string }) }
    },
    /** Submits a form from a page on another site, and therefore without our Strict and Lax cookies. */
    async post(action: string, fields: Record<string, string>): Promise<string> {
      const response = await fetch(action, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'user-agent': 'Mozilla/5.0', origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'cross-site' },
        body: new URLSearchParams(fields),
      })
      return new URL(response.headers.get('location') ?? `/status/${response.status}`, action).href
    },
    /** Follows redirects until there is a page, or the result that the console shows. */
    async follow(from: string): Promise<string> {
      let at = from
      for (let steps = 0; steps < 20; steps += 1) {
        const { to } = await go(at)
        if (to === null) return at
        at = to
        if (/^\/auth\/(success|failed)$/.test(new URL(at).pathname)) return at
      }
      throw new Error(`too many redirects, the last one to ${at}`)
    },
  }
}

/** Creates a provider in the administrator's domain. */
export const makeProvider = (draft: Partial<ProviderDraft> & Pick<ProviderDraft, 'issuer'>) =>
  server.call(identityProviders.create, {
    as: admin,
    body: { name: 'The company', ...CLIENT, ...draft },
  })

/** Creates a SAML provider. The username is the subject, and the groups come from `groups`. */
export const makeSamlProvider = (draft: Partial<ProviderDraft>) =>
  server.call(identityProviders.create, {
    as: admin,
    body: {
      name: 'The company',
      protocol: 'saml',
      ...draft,
      mapping: { ...draft.mapping, claims: { name: 'sub', email: 'mail', groups: 'groups' } },
    },
  })

/** ACS URL and entity ID for SAML providers of the domain `alpha`. */
export function samlNames() {
  const acs = `${server.url}/auth/landing/saml/${server.cast.domains['alpha']!.id}`
  return { acs, audience: `${acs}/metadata` }
}

/** Callback URL for OpenID Connect providers of the domain `alpha`. */
export const openIdCallback = () => `${server.url}/auth/landing/openid/${server.cast.domains['alpha']!.id}`

/** Deletes each test's provider and its users afterwards. Returns a function that changes the provider. */
export function withOwnProvider(ofTest: () => DomainProvider) {
  const ofIt = () => ({ as: admin, params: { id: ofTest().id } }) as const
  afterEach(() => server.call(identityProviders.delete, { ...ofIt(), query: { delete_users: 'true' } }))
  return (body: object) => server.call(identityProviders.update, { ...ofIt(), body })
}

/** A log that keeps its entries so that specs can inspect them. */
export function notedLog() {
  const lines: { fields: Record<string, unknown>; message: string }[] = []
  const note = (fields: object, message: string) => void lines.push({ fields: { ...fields }, message })
  return { lines, log: { debug: () => undefined, info: note, warn: note, error: note } }
}
