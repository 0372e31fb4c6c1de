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
 * resources. Deleting one that a connection uses throws a `policy_in_use` or `endpoint_group_in_use` error.
 */

export interface IpsecSiteConnectionsPort {
  /**
   * Creates a connection with its policies, groups and service, or none of them. Throws a `router_no_gateway`,
   * `subnet_overlap`, `ikev1_single_subnet` or `quota_exceeded` error, or a `validation` error on the fields of these
   * objects.
   */
  create(scope: ProjectScope, draft: ConnectionDraft): Promise<IpsecSiteConnection>
  /** Throws the same errors as `create`, and a `vpn_pending` error while the connection is being deleted. */
  update(scope: Scope, id: string, change: ConnectionChange): Promise<IpsecSiteConnection>
  /** Deletes a connection, and the objects that were created with it and are not used elsewhere. */
  delete(scope: Scope, id: string): Promise<void>
  /** Terminates the tunnel and establishes it again. Throws a `vpn_pending` error. */
  restart(scope: Scope, id: string): Promise<IpsecSiteConnection>
  diagnosis(scope: Scope, id: string): Promise<VpnDiagnosis>
  stats(scope: Scope, id: string): Promise<VpnStats>
}

export interface VpnPort extends UsualPort<'vpn'> {
  ipsecSiteConnections: IpsecSiteConnectionsPort
  /** Returns why VPN is not available, for display, or null if it is. */
  unavailable(): string | null
}

declare module './area-ports' {
  interface OwnPorts {
    vpn: VpnPort
  }
}
