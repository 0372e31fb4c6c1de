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
 * Commands for VPN, with the results and errors described in `compute.ts`. Policies and endpoint groups are plain
 * resources. Deleting one that a connection uses throws `policy_in_use` or `endpoint_group_in_use`.
 */

export interface IpsecSiteConnectionsPort {
  /**
   * Creates a connection with its policies, groups and service, or nothing. Throws `router_no_gateway`,
   * `subnet_overlap`, `ikev1_single_subnet`, `quota_exceeded`, and `validation` with the fields of the parts.
   */
  create(scope: ProjectScope, draft: ConnectionDraft): Promise<IpsecSiteConnection>
  /** Throws like `create`, and `vpn_pending` while the connection is being deleted. */
  update(scope: Scope, id: string, change: ConnectionChange): Promise<IpsecSiteConnection>
  /** Also deletes what was created with it and is not used otherwise. */
  delete(scope: Scope, id: string): Promise<void>
  /** Terminates the tunnel and establishes it again. Throws `vpn_pending`. */
  restart(scope: Scope, id: string): Promise<IpsecSiteConnection>
  diagnosis(scope: Scope, id: string): Promise<VpnDiagnosis>
  stats(scope: Scope, id: string): Promise<VpnStats>
}

export interface VpnPort extends UsualPort<'vpn'> {
  ipsecSiteConnections: IpsecSiteConnectionsPort
  /** Why VPN is not available, for display; null if it is. */
  unavailable(): string | null
}

declare module './area-ports' {
  interface OwnPorts {
    vpn: VpnPort
  }
}
