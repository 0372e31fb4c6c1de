import type { VpnDiagnosis } from '@mainstay/contract/vpn/connection-status'
import type {
  ConnectionChange,
  ConnectionDraft,
  IpsecSiteConnection,
  VpnStats,
} from '@mainstay/contract/vpn/connections'
import type { UsualPort } from './plain'
import type { ProjectScope, Scope } from './scope'

/*
 * What an engine of VPN does. Commands answer and refuse as those of compute do (see `compute.ts`). Policies and endpoint groups
 * are plain: deleting one that a connection uses throws `policy_in_use` or `endpoint_group_in_use`.
 */

export interface IpsecSiteConnectionsPort {
  /**
   * Makes a connection with what it is made of; all or nothing. Throws `router_no_gateway`, `subnet_overlap`,
   * `ikev1_single_subnet`, `quota_exceeded`, and `validation` with fields of the parts.
   */
  create(scope: ProjectScope, draft: ConnectionDraft): Promise<IpsecSiteConnection>
  /** Throws as `create` does, and `vpn_pending` where it is being deleted. */
  update(scope: Scope, id: string, change: ConnectionChange): Promise<IpsecSiteConnection>
  /** Deletes what was made with it and nothing else uses, too. */
  delete(scope: Scope, id: string): Promise<void>
  /** Ends the tunnel and makes it again. Throws `vpn_pending`. */
  restart(scope: Scope, id: string): Promise<IpsecSiteConnection>
  diagnosis(scope: Scope, id: string): Promise<VpnDiagnosis>
  stats(scope: Scope, id: string): Promise<VpnStats>
}

export interface VpnPort extends UsualPort<'vpn'> {
  ipsecSiteConnections: IpsecSiteConnectionsPort
  /** Why there is none here, for people; null where there is. */
  unavailable(): string | null
}

declare module './area-ports' {
  interface OwnPorts {
    vpn: VpnPort
  }
}
