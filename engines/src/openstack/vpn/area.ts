import type { CloudArea } from '../area'
import { vpnCommands } from './commands'
import { connectionReader } from './connections/reader'
import { endpointGroupReader } from './endpoint-groups'
import { learnVpn, unknownVpnService } from './learn'
import { ikePolicyReader, ipsecPolicyReader } from './policies'
import { vpnServiceReader } from './services'

export const vpnOfCloud: CloudArea<'vpn'> = {
  area: 'vpn',
  readers: [connectionReader, endpointGroupReader, ikePolicyReader, ipsecPolicyReader, vpnServiceReader],
  open({ engine, quotaLimits }) {
    const service = unknownVpnService()
    return {
      port: vpnCommands(engine, service, quotaLimits),
      capabilities: service.capabilities,
      watch: learnVpn({ account: engine.reading.caller, log: engine.log }, service),
    }
  },
}
