import type { Config } from '../config'
import { hostName, isOfLoopback } from './hosts'

type Panel = 'admin' | 'self-service'
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
  /** Whether `certain` can answer something. */
  canBeCertain(panel: Panel): boolean
}

type Settings = Pick<Config, 'address' | 'adminAddress' | 'port' | 'adminPort' | 'hosts'>

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

  return {
    of,
    certain(panel, from) {
      const found = of(panel, from)
      if (found === null || configured[panel] !== null) return found
      const name = hostName(new URL(found).host)
      return name !== null && isOurs(name) ? found : null
    },
    canBeCertain: (panel) => configured[panel] !== null || hosts !== null,
  }
}
