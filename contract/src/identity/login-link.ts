import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'

/** The port that browsers go to by themselves: links leave it out. */
const OMITTED_PORT = 80

/** An IPv4 address, and no name: it says where a machine is now, and not how an installation is called. */
const isBareIpv4 = (host: string): boolean => /^\d{1,3}(\.\d{1,3}){3}$/.test(host)

/**
 * Hosts under which people reach the self-service panel (S2§2): the configured name where that is no bare IPv4 address, else the
 * self-service addresses of the nodes.
 */
export const loginHosts = (configured: string | null, addresses: readonly string[]): readonly string[] =>
  configured !== null && !isBareIpv4(configured) ? [configured] : addresses

/** The sign-in page of a domain, `{host}[:port]/login/{domainId}` (S2§2): `console.example:8800/login/default`. */
export function loginLink(host: string, port: number, domainId: string): string {
  const shown = host.includes(':') ? `[${host}]` : host
  return `${shown}${port === OMITTED_PORT ? '' : `:${port}`}/login/${encodeURIComponent(domainId)}`
}

const LoginLink = z.object({
  /** As people read it: `console.example:8800/login/default`. */
  link: z.string(),
  /** The same with `http://` or `https://`. */
  address: z.string(),
})

export const loginLinks = endpoints({
  list: {
    verb: 'GET',
    path: '/api/v2/domains/:id/login-links',
    needs: read('domain'),
    summary: 'Where users of a domain sign in: one address, or one for each address of the self-service panel',
    reply: z.object({ data: z.array(LoginLink) }),
  },
})
