import type { NetworkingCapabilities } from '@mainstay/contract/networking/network-service'
import * as z from 'zod'
import type { Log } from '../../ports/records'
import type { ServiceClient } from '../client/service-client'
import { keepLearning, type Learning } from '../keep-learning'
import { whole } from './wire'

/** Known capabilities of the cloud's network service. */
export interface NetworkService {
  capabilities: NetworkingCapabilities
  /** Why networking is unavailable, shown to users. Null if it is available. */
  unavailable: string | null
}

/** Returns the capabilities of most clouds, assumed until the cloud has been queried. */
export const usualNetworkService = (): NetworkService => ({
  capabilities: {
    networks: true,
    external_networks: true,
    vlan_networks: true,
    routers: true,
    floating_ips: true,
    security_groups: true,
    spoofing_protection: true,
    // the cloud's networks are not on the console's host
    published_ports: false,
    reach_probe: false,
    // SR-IOV is a property of each port in Neutron, not of networks
    direct_vnics: false,
  },
  unavailable: null,
})

const Extension = z.object({ alias: z.string() })

/** Returns the capabilities that follow from these extensions. */
const capabilitiesBy = (extensions: ReadonlySet<string>): Partial<NetworkingCapabilities> => ({
  external_networks: extensions.has('external-net') && extensions.has('provider') && extensions.has('rbac-policies'),
  vlan_networks: extensions.has('external-net') && extensions.has('provider') && extensions.has('rbac-policies'),
  routers: extensions.has('router'),
  floating_ips: extensions.has('router') && extensions.has('external-net'),
  security_groups: extensions.has('security-group'),
  spoofing_protection: extensions.has('port-security'),
})

/** Keeps `service` up to date with the capabilities that follow from the extensions of the network service. */
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
      log.debug({ err }, 'the cloud does not report its network extensions')
      return false
    }
  })
}
