import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Config } from './config'

/** Where users reach the self-service panel. */
export interface SelfService {
  /** The installation's configured host name; null if there is none. */
  hostname: string | null
  /**
   * IPv4 addresses: the configured ones, which work for all servers, or else the addresses of this server, which may
   * change.
   */
  addresses(): string[]
  port: number
  isSecure: boolean
}

/** IPv4 addresses of this machine that other hosts can reach; loopback if there are none. */
function ownAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((of) => of ?? [])
  const found = all.filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => address)
  return found.length > 0 ? found : ['127.0.0.1']
}

export const selfServiceOf = ({
  hosts,
  host,
  port,
  tls,
}: Pick<Config, 'hosts' | 'host' | 'port' | 'tls'>): SelfService => {
  // a configured IP address is a place to reach the installation, but not its host name
  const locations = hosts?.filter((name) => isIP(name) === 4) ?? []
  return {
    hostname: hosts?.find((name) => isIP(name) !== 4) ?? null,
    addresses() {
      if (locations.length > 0) return locations
      return host === '0.0.0.0' || host === '::' ? ownAddresses() : [host]
    },
    port,
    isSecure: tls.kind !== 'none',
  }
}
