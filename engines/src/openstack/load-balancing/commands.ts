import type { LoadBalancingPort } from '../../ports/load-balancing'
import type { QuotaLimitsPort } from '../../ports/quotas'
import type { Engine } from '../engine'
import { balancingQuotasOf } from '../quotas'
import { balancerCommands } from './balancers/commands'
import type { BalancerService } from './learn'
import { poolCommands } from './pools/commands'

export const loadBalancingCommands = (
  engine: Engine,
  service: BalancerService,
  quotaLimits: QuotaLimitsPort,
): LoadBalancingPort => ({
  loadBalancers: balancerCommands(engine, service),
  loadBalancerPools: poolCommands(engine),
  unavailable: () => service.unavailable,
  quotas: (scope, projectId) => balancingQuotasOf(engine, scope, projectId),
  quotaLimits,
})
