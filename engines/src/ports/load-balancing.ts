import type {
  LoadBalancer,
  LoadBalancerChange,
  LoadBalancerDraft,
  LoadBalancerStats,
} from '@mainstay/contract/load-balancing/load-balancers'
import type { UsualPort } from './plain'
import type { ProjectScope, Scope } from './scope'

/*
 * What an engine of load balancers does. Commands answer and refuse as those of compute do (see `compute.ts`). Those of pools are
 * plain: they throw `lb_pending` while their balancer is made or deleted, `port_in_use`, `lb_member_unreachable`, and what is wrong of a
 * certificate (`certificate_...`).
 */

export interface LoadBalancersPort {
  /** Throws `ip_address_in_use`, `no_free_addresses`, `not_routable`, `quota_exceeded`. All or nothing. */
  create(scope: ProjectScope, draft: LoadBalancerDraft): Promise<LoadBalancer>
  update(scope: Scope, id: string, change: LoadBalancerChange): Promise<LoadBalancer>
  delete(scope: Scope, id: string): Promise<LoadBalancer>
  /** Throws `invalid_state` where nothing is wrong with it. */
  recreate(scope: Scope, id: string): Promise<LoadBalancer>
  failover(scope: Scope, id: string): Promise<LoadBalancer>
  stats(scope: Scope, id: string): Promise<LoadBalancerStats>
}

export interface LoadBalancingPort extends UsualPort<'load-balancing'> {
  loadBalancers: LoadBalancersPort
  /** Why there are none here, for people; null where there are. */
  unavailable(): string | null
}

declare module './area-ports' {
  interface OwnPorts {
    'load-balancing': LoadBalancingPort
  }
}
