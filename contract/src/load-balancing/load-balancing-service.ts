import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'
import { lbAlgorithms, poolProtocols } from './forwarding'
import { monitorTypes } from './members'

/** What load balancers of one sort can do. A flavor profile names the provider of its balancers. */
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
  weights: z.boolean().describe('whether members get more or less by their weights'),
  failover: z.boolean().describe('whether something else can be made to carry a balancer'),
})
export type LoadBalancerProvider = z.infer<typeof LoadBalancerProvider>

/** What the engine of load balancers can do here; the console hides what it can never do. */
export const LoadBalancingCapabilities = z.object({
  load_balancers: z.boolean(),
  high_availability: z.boolean().describe('whether two can stand in for one another'),
  protocols: z.array(z.enum(poolProtocols)),
  algorithms: z.array(z.enum(lbAlgorithms)).describe('of pools that are not of UDP'),
  udp_algorithms: z.array(z.enum(lbAlgorithms)).describe('of pools of UDP'),
  tls_termination: z.boolean().describe('whether TLS can end at a balancer'),
  providers: z.array(LoadBalancerProvider).describe('where balancers are of several sorts; empty: of one'),
})
export type LoadBalancingCapabilities = z.infer<typeof LoadBalancingCapabilities>

export const LoadBalancingService = z.object({
  capabilities: LoadBalancingCapabilities,
  /** Why there are none here, for people; null where there are. */
  unavailable: z.string().nullable(),
})
export type LoadBalancingService = z.infer<typeof LoadBalancingService>

export const loadBalancingService = endpoints({
  view: {
    verb: 'GET',
    path: '/api/v2/compute/lbaas/service',
    needs: read('compute_load_balancers'),
    summary: 'What load balancers can do here',
    reply: LoadBalancingService,
  },
})
