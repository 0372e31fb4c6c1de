import {
  identityProviders,
  type DomainProvider,
  type ProviderDraft,
} from '@mainstay/contract/identity/identity-providers'
import { afterEach } from 'vitest'
import { admin, server } from '../directory-fixture'
import { CLIENT } from './openid-provider'

/* Signing in through identity providers of a domain, as a browser does it. */

/** A browser as far as it counts here: it keeps the cookies of each site, and follows redirects one by one. */
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
    /** Leaves the sign-in page for a provider; answers where to. */
    async begin(id: string, at = server.url) {
      const { response } = await go(`${at}/api/v2/login/providers/${id}`, { method: 'POST', headers: { origin: at } })
      return { status: response.status, ...((await response.json()) as { address: string }) }
    },
    /** Sends the form of a page of another site: with none of our cookies that are for our own pages, nor those of a Lax one. */
    async post(action: string, fields: Record<string, string>): Promise<string> {
      const response = await fetch(action, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'user-agent': 'Mozilla/5.0', origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'cross-site' },
        body: new URLSearchParams(fields),
      })
      return new URL(response.headers.get('location') ?? `/status/${response.status}`, action).href
    },
    /** Goes on from redirect to redirect: to a page, or to what the console shows of the outcome. */
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

/** A provider of the administrator's domain. */
export const makeProvider = (draft: Partial<ProviderDraft> & Pick<ProviderDraft, 'issuer'>) =>
  server.call(identityProviders.create, {
    as: admin,
    body: { name: 'The company', ...CLIENT, ...draft },
  })

/** The same of SAML; its name is the subject, and its groups are `groups`. */
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

/** Where a SAML provider of the domain `alpha` sends people back to, and what it calls us. */
export function samlNames() {
  const acs = `${server.url}/auth/landing/saml/${server.cast.domains['alpha']!.id}`
  return { acs, audience: `${acs}/metadata` }
}

/** Where a provider of OpenID Connect of the domain `alpha` sends people back to. */
export const openIdCallback = () => `${server.url}/auth/landing/openid/${server.cast.domains['alpha']!.id}`

/** The provider of each test goes with its people when the test is over. Answers how it is changed. */
export function withOwnProvider(ofTest: () => DomainProvider) {
  const ofIt = () => ({ as: admin, params: { id: ofTest().id } }) as const
  afterEach(() => server.call(identityProviders.delete, { ...ofIt(), query: { delete_users: 'true' } }))
  return (body: object) => server.call(identityProviders.update, { ...ofIt(), body })
}

/** A log for a server whose lines are looked at. */
export function notedLog() {
  const lines: { fields: Record<string, unknown>; message: string }[] = []
  const note = (fields: object, message: string) => void lines.push({ fields: { ...fields }, message })
  return { lines, log: { debug: () => undefined, info: note, warn: note, error: note } }
}
