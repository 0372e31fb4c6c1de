import { isIP } from 'node:net'
import { problem } from '@mainstay/contract/core/problems'
import type { Panel } from '@mainstay/contract/panels'
import type { Config } from '../../config'
import { hostName, isOfLoopback } from './hosts'

interface From {
  panel: Panel
  /** Where the caller's browser has this server; null for what is no page of ours. */
  ownAddress: string | null
}

/** Where people find the console: for links that are handed over or mailed. Addresses have no slash at their end. */
export interface ConsoleAddresses {
  /** That of a panel, as who calls has it; null where nobody can say. */
  of(panel: Panel, from: From): string | null
  /**
   * The same, where it can be no other one: an address that a stranger's call names goes into no mail, unless its host is among
   * those that the server answers under.
   */
  certain(panel: Panel, from: From): string | null
  /**
   * The address to which identity providers send people back, and for which an assertion must be meant. A caller must not choose it, or
   * another service of the same provider could sign in here as its users: it is that of the settings or of a host in MAINSTAY_HOSTS, and
   * on loopback that of the request. Throws `unsupported` with the name of the setting.
   */
  ofSignIn(panel: Panel, from: From): string
  /** Whether `certain` can answer something. */
  canBeCertain(panel: Panel): boolean
}

type Settings = Pick<Config, 'address' | 'adminAddress' | 'port' | 'adminPort' | 'hosts'>

const settingOf = { 'self-service': 'MAINSTAY_ADDRESS', admin: 'MAINSTAY_ADMIN_ADDRESS' }

/** What operators are told at the portal where system permissions count at the admin port alone; null where they count at both. */
export const operatorsElsewhere = ({
  portalOperators,
  adminAddress,
  adminPort,
}: Pick<Config, 'portalOperators' | 'adminAddress' | 'adminPort'>): string | null =>
  portalOperators
    ? null
    : `System permissions do not apply at the portal. Use the admin panel at ${adminAddress ?? `port ${adminPort}`}, or set MAINSTAY_PORTAL_OPERATORS to 1 on the server.`

/** Whether it is `localhost` or a loopback address, with any port. */
function isThisMachine(host: string): boolean {
  const name = hostName(host)
  return name === 'localhost' || (name !== null && isIP(name) !== 0 && isOfLoopback(name))
}

export function createConsoleAddresses({ address, adminAddress, port, adminPort, hosts }: Settings): ConsoleAddresses {
  const configured = { 'self-service': address, admin: adminAddress }
  const ports = { 'self-service': port, admin: adminPort }

  function of(panel: Panel, { panel: here, ownAddress }: From): string | null {
    if (configured[panel] !== null || ownAddress === null || panel === here) return configured[panel] ?? ownAddress
    // the other panel is at the same host, at its own port; not behind something that has moved this one
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
      // every program of this machine can have a name below .localhost
      const isNamedBySetting = configured[panel] !== null || hosts?.length
      if (found !== null && (isNamedBySetting || isThisMachine(new URL(found).host))) return found
      throw problem('identity.no_provider_sign_in', { panel: settingOf[panel] })
    },
    canBeCertain: (panel) => configured[panel] !== null || hosts !== null,
  }
}
