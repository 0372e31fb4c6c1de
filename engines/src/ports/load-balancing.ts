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
 * commands throw `lb_pending` while the load balancer is being created or deleted, `port_in_use`,
 * `lb_member_unreachable`, and `certificate_...` for an invalid certificate.
 */

export interface LoadBalancersPort {
  /**
   * Creates everything or nothing. Throws `ip_address_in_use`, `no_free_addresses`, `not_routable`, `quota_exceeded`.
   */
  create(scope: ProjectScope, draft: LoadBalancerDraft): Promise<LoadBalancer>
  update(scope: Scope, id: string, change: LoadBalancerChange): Promise<LoadBalancer>
  delete(scope: Scope, id: string): Promise<LoadBalancer>
  /** Throws `invalid_state` unless the load balancer is in the error state. */
  recreate(scope: Scope, id: string): Promise<LoadBalancer>
  failover(scope: Scope, id: string): Promise<LoadBalancer>
  stats(scope: Scope, id: string): Promise<LoadBalancerStats>
}

export interface LoadBalancingPort extends UsualPort<'load-balancing'> {
  loadBalancers: LoadBalancersPort
  /** Why load balancers are not available, for display; null if they are. */
  unavailable(): string | null
}

declare module './area-ports' {
  interface OwnPorts {
    'load-balancing': LoadBalancingPort
  }
}
