import {
  dpdActions,
  ikeVersions,
  vpnAuthAlgorithms,
  vpnEncryptionAlgorithms,
  vpnGroups,
  vpnModes,
} from '@mainstay/contract/vpn/algorithms'
import type { VpnCapabilities } from '@mainstay/contract/vpn/vpn-capabilities'
import * as z from 'zod'
import { noCapabilities } from '../../ports/area-ports'
import type { Log } from '../../ports/records'
import type { ServiceClient } from '../client/service-client'
import { keepLearning, type Learning } from '../keep-learning'
import { whole } from '../networking/wire'

/** Known VPN capabilities of the cloud. */
export interface VpnServiceOfCloud {
  capabilities: VpnCapabilities
  /** Why VPN is unavailable, shown to users. Null if it is available. */
  unavailable: string | null
}

/** Returns the state without capabilities, used until the cloud has been queried. */
export const unknownVpnService = (): VpnServiceOfCloud => ({
  capabilities: { ...noCapabilities.vpn },
  unavailable: 'It is not yet known whether the cloud supports VPN connections',
})

/** All values that the API accepts. The agents of a cloud may support only some of them and reject the rest. */
const ofNetworkService: VpnCapabilities = {
  ...{ connections: true, split_selector: false, diagnosis: false, stats: false, restart: false },
  ...{ ike_versions: [...ikeVersions], encryption_algorithms: [...vpnEncryptionAlgorithms] },
  ...{ auth_algorithms: [...vpnAuthAlgorithms], groups: [...vpnGroups] },
  ...{ modes: [...vpnModes], dpd_actions: [...dpdActions] },
}

const Extension = z.object({ alias: z.string() })
const needed = { vpnaas: 'VPN', 'vpn-endpoint-groups': 'VPN endpoint groups' }

/** Keeps `service` up to date with whether the network service has the VPN extensions. */
export function learnVpn({ account, log }: { account: ServiceClient; log: Log }, service: VpnServiceOfCloud): Learning {
  const lacks = (what: string): true => {
    Object.assign(service, { capabilities: Object.assign(service.capabilities, noCapabilities.vpn), unavailable: what })
    return true
  }
  return keepLearning(async () => {
    try {
      if (!(await account.has('network'))) return lacks('The cloud has no network service')
      const extensions = await whole(account.pages('network', '/extensions', 'extensions', Extension))
      const aliases = new Set(extensions.map(({ alias }) => alias))
      const missing = Object.entries(needed).find(([alias]) => !aliases.has(alias))
      if (missing) return lacks(`The cloud does not support ${missing[1]} (no ${missing[0]} extension)`)
      Object.assign(service.capabilities, ofNetworkService)
      service.unavailable = null
      return true
    } catch (err) {
      log.debug({ err }, 'the cloud does not report whether it supports VPN')
      return false
    }
  })
}
