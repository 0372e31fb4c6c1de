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

/** What VPN of a cloud is known to be able to do. */
export interface VpnServiceOfCloud {
  capabilities: VpnCapabilities
  /** Why there is no VPN, for people; null where there is. */
  unavailable: string | null
}

/** Until the cloud has told it is not known to have any. */
export const unknownVpnService = (): VpnServiceOfCloud => ({
  capabilities: { ...noCapabilities.vpn },
  unavailable: 'The cloud has not told yet whether it has VPN connections',
})

/** What the network service has words for. Which of them its agents take is a matter of each cloud, which refuses the others. */
const ofNetworkService: VpnCapabilities = {
  ...{ connections: true, split_selector: false, diagnosis: false, stats: false, restart: false },
  ...{ ike_versions: [...ikeVersions], encryption_algorithms: [...vpnEncryptionAlgorithms] },
  ...{ auth_algorithms: [...vpnAuthAlgorithms], groups: [...vpnGroups] },
  ...{ modes: [...vpnModes], dpd_actions: [...dpdActions] },
}

const Extension = z.object({ alias: z.string() })
const needed = { vpnaas: 'VPN', 'vpn-endpoint-groups': 'endpoint groups of VPN' }

/** Keeps in `service` whether the network service has VPN, which it tells by its extensions. */
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
      if (missing) return lacks(`The network service of the cloud has no ${missing[1]} (its extension ${missing[0]})`)
      Object.assign(service.capabilities, ofNetworkService)
      service.unavailable = null
      return true
    } catch (err) {
      log.debug({ err }, 'the cloud does not tell whether it has VPN')
      return false
    }
  })
}
