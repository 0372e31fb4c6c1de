import { isIP } from 'node:net'
import path from 'node:path'
import type { EngineSettings } from '@mainstay/engines/ports/engines'
import type { Config } from '../config'
import { createConnections } from '../http/connections'
import { peersOf } from '../http/addresses/peers'
import { createRates } from '../http/overload/rates'
import { limitsAt, type Limits } from '../limits'

/** Host names for S3 and the console. `ownDomains` is empty if the console's host names are unknown. */
function namesOfS3(
  { domains, host: s3Host }: NonNullable<Config['s3']>,
  { host, hosts, address, adminAddress }: Pick<Config, 'host' | 'hosts' | 'address' | 'adminAddress'>,
) {
  const addresses = [address, adminAddress].filter((it) => it !== null).map((it) => new URL(it).hostname)
  const namesIn = (texts: readonly string[]) => texts.filter((it) => isIP(it) === 0).map((it) => it.toLowerCase())
  const ofConsole = namesIn(['localhost', host, ...(hosts ?? []), ...addresses])
  const isKnown = hosts !== null || addresses.length > 0
  return {
    domains,
    // a page on a subdomain of the console can set cookies for the console
    ownDomains: isKnown ? domains.filter((it) => !ofConsole.some((name) => `.${it}`.endsWith(`.${name}`))) : [],
    serverNames: [...ofConsole, ...namesIn([s3Host])],
  }
}

/**
 * Engine settings derived from the configuration. The S3 port has the same limits as the console ports, counted
 * separately.
 */
export const engineSettings = (config: Config, given?: Limits): Omit<EngineSettings, 'onFirstStart'> => {
  const { embedded, cloud, areas, hypervisor, world, dataFolder, adminPassword, s3, rgw, proxies } = config
  const { connections, rates } = given ?? limitsAt(config.callsPerSecond)
  const peers = peersOf(proxies)
  const ofAddress = createRates(rates.address)
  return {
    ...{ embedded, cloud, areas, hypervisor, world, adminPassword, rgw },
    s3: s3 && {
      ...s3,
      names: namesOfS3(s3, config),
      limitConnections: createConnections(connections, peers, 's3').attach,
      takeRequest: ofAddress.take,
      sourceOf: peers.sourceOf,
      idleMs: connections.idleOfS3Ms,
    },
    folder: path.join(dataFolder, 'engine'),
  }
}
