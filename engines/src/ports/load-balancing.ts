import type {
  LoadBalancer,
  LoadBalancerChange,
  LoadBalancerDraft,
  LoadBalancerStats,
} from '@mainstay/contract/load-balancing/load-balancers'
import type { UsualPort } from './plain'
import type { ProjectScope, Scope } from './scope'

/*
 * Commands for load balancers, with the results and errors described in `compute.ts`. Pools are plain resources. Their
 * commands throw an `lb_pending` error while the load balancer is being created or deleted, a `port_in_use` or
 * `lb_member_unreachable` error, or a `certificate_...` error for an invalid certificate.
 */

export interface LoadBalancersPort {
  /**
   * Creates the load balancer with all its parts, or none of them. Throws an `ip_address_in_use`, `no_free_addresses`,
   * `not_routable` or `quota_exceeded` error.
   */
  create(scope: ProjectScope, draft: LoadBalancerDraft): Promise<LoadBalancer>
  update(scope: Scope, id: string, change: LoadBalancerChange): Promise<LoadBalancer>
  delete(scope: Scope, id: string): Promise<LoadBalancer>
  /** Throws an `invalid_state` error unless the load balancer is in the error state. */
  recreate(scope: Scope, id: string): Promise<LoadBalancer>
  failover(scope: Scope, id: string): Promise<LoadBalancer>
  stats(scope: Scope, id: string): Promise<LoadBalancerStats>
}

export interface LoadBalancingPort extends UsualPort<'load-balancing'> {
  loadBalancers: LoadBalancersPort
  /** Returns why load balancers are not available, for display, or null if they are. */
  unavailable(): string | null
}

declare module './area-ports' {
  interface OwnPorts {
    'load-balancing': LoadBalancingPort
  }
}
