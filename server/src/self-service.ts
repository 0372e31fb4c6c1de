import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Config } from './config'

/** Where people reach the self-service panel. */
export interface SelfService {
  /** The name by which the installation is known; null: none is configured. */
  hostname: string | null
  /** IPv4 addresses: the configured ones, under which all servers are reached, else those of this server, which may come and go. */
  addresses(): string[]
  port: number
  isSecure: boolean
}

/** IPv4 addresses of this machine that others can reach; loopback where there are none. */
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
  // an address among the names says where to answer, and not how the installation is called
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
