import type { NetworkingCapabilities } from '@mainstay/contract/networking/network-service'
import * as z from 'zod'
import type { Log } from '../../ports/records'
import type { ServiceClient } from '../client/service-client'
import { keepLearning, type Learning } from '../keep-learning'
import { whole } from './wire'

/** What the network service of a cloud is known to be able to do. */
export interface NetworkService {
  capabilities: NetworkingCapabilities
  /** Why there are no networks, for people; null where there are. */
  unavailable: string | null
}

/** Until the cloud has told otherwise it is one as most are. */
export const usualNetworkService = (): NetworkService => ({
  capabilities: {
    networks: true,
    external_networks: true,
    vlan_networks: true,
    routers: true,
    floating_ips: true,
    security_groups: true,
    spoofing_protection: true,
    // nothing of the cloud is on the machine of the console
    published_ports: false,
    reach_probe: false,
    // which cards are the hardware's own is a matter of each port there
    direct_vnics: false,
  },
  unavailable: null,
})

const Extension = z.object({ alias: z.string() })

/** What a cloud with these extensions can do. */
const capabilitiesBy = (extensions: ReadonlySet<string>): Partial<NetworkingCapabilities> => ({
  external_networks: extensions.has('external-net') && extensions.has('provider') && extensions.has('rbac-policies'),
  vlan_networks: extensions.has('external-net') && extensions.has('provider') && extensions.has('rbac-policies'),
  routers: extensions.has('router'),
  floating_ips: extensions.has('router') && extensions.has('external-net'),
  security_groups: extensions.has('security-group'),
  spoofing_protection: extensions.has('port-security'),
})

/** Keeps in `service` what only the cloud itself can tell: by the extensions that its network service has. */
export function learnExtensions(
  { account, log }: { account: ServiceClient; log: Log },
  service: NetworkService,
): Learning {
  return keepLearning(async () => {
    try {
      if (!(await account.has('network'))) {
        service.unavailable = 'The cloud has no network service'
        return true
      }
      const extensions = await whole(account.pages('network', '/extensions', 'extensions', Extension))
      Object.assign(service.capabilities, capabilitiesBy(new Set(extensions.map(({ alias }) => alias))))
      service.unavailable = null
      return true
    } catch (err) {
      log.debug({ err }, 'the cloud does not tell which extensions of networks it has')
      return false
    }
  })
}
