import type { QuotaLimitsPort } from '../../ports/quotas'
import type { VpnPort } from '../../ports/vpn'
import type { Engine } from '../engine'
import { vpnQuotasOf } from '../quotas'
import { connectionCommands } from './connections/commands'
import type { VpnServiceOfCloud } from './learn'
import { partCommands } from './parts'

export const vpnCommands = (engine: Engine, service: VpnServiceOfCloud, quotaLimits: QuotaLimitsPort): VpnPort => ({
  ...partCommands(engine, service),
  ipsecSiteConnections: connectionCommands(engine, service),
  unavailable: () => service.unavailable,
  quotas: (scope, projectId) => vpnQuotasOf(engine, scope, projectId),
  quotaLimits,
})
