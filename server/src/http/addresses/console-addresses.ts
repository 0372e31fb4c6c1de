import { isIP } from 'node:net'
import { problem } from '@mainstay/contract/core/problems'
import type { Panel } from '@mainstay/contract/panels'
import type { Config } from '../../config'
import { hostName, isOfLoopback } from './hosts'

interface From {
  panel: Panel
  /** URL of this server in the caller's browser; null if the request does not come from one of our pages. */
  ownAddress: string | null
}

/** URLs of the console for links that are shared or sent by email. They have no trailing slash. */
export interface ConsoleAddresses {
  /** URL of a panel, as seen by the caller; null if unknown. */
  of(panel: Panel, from: From): string | null
  /**
   * Like `of`, but null unless the URL is configured or the server accepts its host name. An attacker must not be able
   * to inject a host name into our emails.
   */
  certain(panel: Panel, from: From): string | null
  /**
   * URL to which identity providers redirect users, and for which an assertion must be issued. The caller must not be
   * able to choose it: otherwise, another service that uses the same provider could sign in here as its users. It is
   * the configured URL, the request's URL if its host is in MAINSTAY_HOSTS, or a loopback URL. Throws an `unsupported`
   * error that names the setting.
   */
  ofSignIn(panel: Panel, from: From): string
  /** Whether `certain` can return a URL for this panel. */
  canBeCertain(panel: Panel): boolean
}

type Settings = Pick<Config, 'address' | 'adminAddress' | 'port' | 'adminPort' | 'hosts'>

const settingOf = { 'self-service': 'MAINSTAY_ADDRESS', admin: 'MAINSTAY_ADMIN_ADDRESS' }

/** Hint for operators on the portal if system permissions apply only on the admin port; null if they apply on both. */
export const operatorsElsewhere = ({
  portalOperators,
  adminAddress,
  adminPort,
}: Pick<Config, 'portalOperators' | 'adminAddress' | 'adminPort'>): string | null =>
  portalOperators
    ? null
    : `System permissions do not apply at the portal. Use the admin panel at ${adminAddress ?? `port ${adminPort}`}, or set MAINSTAY_PORTAL_OPERATORS to 1 on the server.`

/** Whether the host is `localhost` or a loopback address, with any port. */
function isThisMachine(host: string): boolean {
  const name = hostName(host)
  return name === 'localhost' || (name !== null && isIP(name) !== 0 && isOfLoopback(name))
}

export function createConsoleAddresses({ address, adminAddress, port, adminPort, hosts }: Settings): ConsoleAddresses {
  const configured = { 'self-service': address, admin: adminAddress }
  const ports = { 'self-service': port, admin: adminPort }

  function of(panel: Panel, { panel: here, ownAddress }: From): string | null {
    if (configured[panel] !== null || ownAddress === null || panel === here) return configured[panel] ?? ownAddress
    // the other panel has the same host and its own port, unless a proxy maps this port to another one
    const url = new URL(ownAddress)
    if (ports[panel] === 0 || url.port !== String(ports[here])) return null
    url.port = String(ports[panel])
    return url.href.replace(/\/$/, '')
  }
  const isOurs = (name: string): boolean =>
    hosts?.length ? hosts.includes(name) : hosts !== null && isOfLoopback(name)

  function certain(panel: Panel, from: From): string | null {
    const found = of(panel, from)
    if (found === null || configured[panel] !== null) return found
    const name = hostName(new URL(found).host)
    return name !== null && isOurs(name) ? found : null
  }

  return {
    of,
    certain,
    ofSignIn(panel, from) {
      const found = certain(panel, from)
      // any program on this host can serve a name under .localhost
      const isNamedBySetting = configured[panel] !== null || hosts?.length
      if (found !== null && (isNamedBySetting || isThisMachine(new URL(found).host))) return found
      throw problem('identity.no_provider_sign_in', { panel: settingOf[panel] })
    },
    canBeCertain: (panel) => configured[panel] !== null || hosts !== null,
  }
}
