import {
  dpdActions,
  ikeVersions,
  vpnAuthAlgorithms,
  vpnEncryptionAlgorithms,
  vpnGroups,
  vpnModes,
} from '@mainstay/contract/vpn/algorithms'
import type { IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import type { VpnCapabilities } from '@mainstay/contract/vpn/vpn-capabilities'
import type { Scope } from '../../ports/scope'
import type { VpnPort } from '../../ports/vpn'
import { getOwn } from '../access'
import type { Engine } from '../engine'
import { quotaLimits, quotasOf } from '../quotas'
import { createConnection, deleteConnection, restartConnection, updateConnection } from './connections'
import { diagnosisOf, statsOf } from './diagnosis'
import { partCommands } from './parts'
import { connections } from './rows'

export function vpnCommands(engine: Engine): VpnPort {
  const own = (scope: Scope, id: string) =>
    engine.records.transaction((tx) => getOwn<IpsecSiteConnection>(tx, connections, scope, id))
  const reportOf = async (id: string) => (await engine.hypervisor.dataplane?.tunnels())?.get(id)
  return {
    ...partCommands(engine),
    ipsecSiteConnections: {
      create: (scope, draft) => createConnection(engine, scope, draft),
      update: (scope, id, change) => updateConnection(engine, scope, id, change),
      delete: (scope, id) => deleteConnection(engine, scope, id),
      restart: (scope, id) => restartConnection(engine, scope, id),
      diagnosis: async (scope, id) => diagnosisOf(await own(scope, id), await reportOf(id)),
      stats: async (scope, id) => statsOf(await own(scope, id).then(() => reportOf(id))),
    },
    unavailable: () => engine.carrier.unavailable() ?? engine.carrier.vpnUnavailable(),
    quotas: (scope, projectId) => quotasOf(engine, 'vpn', scope, projectId),
    quotaLimits: quotaLimits(engine),
  }
}

export const vpnCapabilities: VpnCapabilities = {
  ...{ connections: true, split_selector: true, diagnosis: true, stats: true, restart: true },
  ...{ ike_versions: [...ikeVersions], encryption_algorithms: [...vpnEncryptionAlgorithms] },
  ...{ auth_algorithms: [...vpnAuthAlgorithms], groups: [...vpnGroups] },
  ...{ modes: [...vpnModes], dpd_actions: [...dpdActions] },
}
