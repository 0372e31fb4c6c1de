import { problem } from '@mainstay/contract/core/problems'
import type { CloudArea } from '../area'
import { networkingQuotasOf } from '../quotas'
import { interfaceCommands } from './cards/interfaces'
import { floatingIpCommands } from './floating-ips/commands'
import { floatingIpReader } from './floating-ips/reader'
import { learnExtensions, usualNetworkService } from './learn-extensions'
import { networkCommands } from './networks/commands'
import { networkReader } from './networks/reader'
import { portCommands } from './ports/commands'
import { portReader } from './ports/reader'
import { routerCommands } from './routers/commands'
import { routerReader } from './routers/reader'
import { securityGroupCommands, securityGroupRuleCommands } from './security-groups/commands'
import { securityGroupReader, securityGroupRuleReader } from './security-groups/reader'
import { subnetCommands } from './subnets/commands'
import { subnetReader } from './subnets/reader'

export const networkingOfCloud: CloudArea<'networking'> = {
  area: 'networking',
  // commands use the caller's token for this cloud
  needs: ['identity'],
  readers: [
    floatingIpReader,
    networkReader,
    portReader,
    routerReader,
    securityGroupReader,
    securityGroupRuleReader,
    subnetReader,
  ],
  open({ engine, quotaLimits }) {
    const service = usualNetworkService()
    return {
      port: {
        interfaces: interfaceCommands(engine),
        networks: networkCommands(engine),
        subnets: subnetCommands(engine),
        ports: portCommands(engine),
        routers: routerCommands(engine),
        floatingIps: floatingIpCommands(engine),
        securityGroups: securityGroupCommands(engine),
        securityGroupRules: securityGroupRuleCommands(engine),
        probe: () => Promise.reject(problem('networking.no_probes')),
        host: () => Promise.resolve(null),
        unavailable: () => service.unavailable,
        quotas: (scope, projectId) => networkingQuotasOf(engine, scope, projectId),
        quotaLimits,
      },
      capabilities: service.capabilities,
      watch: learnExtensions({ account: engine.reading.caller, log: engine.log }, service),
    }
  },
}
