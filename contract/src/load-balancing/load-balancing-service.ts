import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'
import { lbAlgorithms, poolProtocols } from './forwarding'
import { monitorTypes } from './members'

/** Features of a load balancer provider. The provider is set by the flavor profile. */
export const LoadBalancerProvider = z.object({
  name: z.string(),
  protocols: z.array(z.enum(poolProtocols)),
  algorithms: z.array(z.enum(lbAlgorithms)),
  monitors: z.array(z.enum(monitorTypes)),
  tls_termination: z.boolean(),
  sticky_session: z.boolean(),
  proxy_protocol: z.boolean(),
  allowed_cidrs: z.boolean(),
  connection_limit: z.boolean(),
  weights: z.boolean().describe('Whether members can have different weights.'),
  failover: z.boolean().describe('Whether a load balancer can be failed over.'),
})
export type LoadBalancerProvider = z.infer<typeof LoadBalancerProvider>

/** Capabilities of the load balancing engine. The console hides what the engine never supports. */
export const LoadBalancingCapabilities = z.object({
  load_balancers: z.boolean(),
  high_availability: z.boolean().describe('Whether a load balancer can have a standby instance.'),
  protocols: z.array(z.enum(poolProtocols)),
  algorithms: z.array(z.enum(lbAlgorithms)).describe('Algorithms for pools that use protocols other than UDP.'),
  udp_algorithms: z.array(z.enum(lbAlgorithms)).describe('Algorithms for UDP pools.'),
  tls_termination: z.boolean().describe('Whether a load balancer can terminate TLS.'),
  providers: z.array(LoadBalancerProvider).describe('Types of load balancers; empty if there is only one.'),
})
export type LoadBalancingCapabilities = z.infer<typeof LoadBalancingCapabilities>

export const LoadBalancingService = z.object({
  capabilities: LoadBalancingCapabilities,
  /** Message that tells users why load balancers are not available; null if they are. */
  unavailable: z.string().nullable(),
})
export type LoadBalancingService = z.infer<typeof LoadBalancingService>

export const loadBalancingService = endpoints({
  view: {
    verb: 'GET',
    path: '/api/v2/compute/lbaas/service',
    needs: read('compute_load_balancers'),
    summary: 'Get the capabilities of load balancers',
    reply: LoadBalancingService,
  },
})
