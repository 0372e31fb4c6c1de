import type { LoadBalancingCapabilities } from '@mainstay/contract/load-balancing/load-balancing-service'
import { poolProtocols, type LbAlgorithm } from '@mainstay/contract/load-balancing/forwarding'
import type { LoadBalancingPort } from '../../ports/load-balancing'
import type { Engine } from '../engine'
import { quotaLimits, quotasOf } from '../quotas'
import { balancerCommands } from './balancers'
import { poolCommands } from './pools'

export const loadBalancingCommands = (engine: Engine): LoadBalancingPort => ({
  loadBalancers: balancerCommands(engine),
  loadBalancerPools: poolCommands(engine),
  unavailable: () => engine.carrier.unavailable(),
  quotas: (scope, projectId) => quotasOf(engine, 'load-balancing', scope, projectId),
  quotaLimits: quotaLimits(engine),
})

const algorithms: LbAlgorithm[] = ['LEAST_CONNECTIONS', 'ROUND_ROBIN', 'SOURCE_IP']

/**
 * Returns the capabilities of load balancing. `high_availability`: whether an address can move between processes on
 * this host.
 */
export const loadBalancingCapabilities = (high_availability: boolean): LoadBalancingCapabilities => ({
  load_balancers: true,
  high_availability,
  protocols: [...poolProtocols],
  algorithms,
  udp_algorithms: algorithms.filter((it) => it !== 'LEAST_CONNECTIONS'),
  tls_termination: true,
  providers: [],
})
