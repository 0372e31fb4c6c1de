import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'

/** Default port of HTTP, omitted in links. */
const OMITTED_PORT = 80

/** Whether the host is an IPv4 address. An address may change, so it is not used as the installation's name. */
const isBareIpv4 = (host: string): boolean => /^\d{1,3}(\.\d{1,3}){3}$/.test(host)

/**
 * Returns the hosts of the self-service panel (S2§2): the configured name, or the self-service addresses of the nodes
 * if none is configured or it is an IPv4 address.
 */
export const loginHosts = (configured: string | null, addresses: readonly string[]): readonly string[] =>
  configured !== null && !isBareIpv4(configured) ? [configured] : addresses

/**
 * Returns the sign-in page of a domain, `{host}[:port]/login/{domainId}` (S2§2): `console.example:8800/login/default`.
 */
export function loginLink(host: string, port: number, domainId: string): string {
  const shown = host.includes(':') ? `[${host}]` : host
  return `${shown}${port === OMITTED_PORT ? '' : `:${port}`}/login/${encodeURIComponent(domainId)}`
}

const LoginLink = z.object({
  /** For display: `console.example:8800/login/default`. */
  link: z.string(),
  /** URL with `http://` or `https://`. */
  address: z.string(),
})

export const loginLinks = endpoints({
  list: {
    verb: 'GET',
    path: '/api/v2/domains/:id/login-links',
    needs: read('domain'),
    summary: 'List the sign-in links of a domain. There is one for each address of the self-service panel.',
    reply: z.object({ data: z.array(LoginLink) }),
  },
})
