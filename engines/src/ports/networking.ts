import type { Instance, InstanceDraft, InstanceInterfaceChange } from '@mainstay/contract/compute/instances'
import type { FloatingIp, FloatingIpChange, FloatingIpDraft } from '@mainstay/contract/networking/floating-ips'
import type { NetworkService, PhysicalNetwork } from '@mainstay/contract/networking/network-service'
import type {
  Network,
  NetworkChange,
  PrivateNetworkDraft,
  PublicNetworkDraft,
  VlanNetworkDraft,
} from '@mainstay/contract/networking/networks'
import type { Port, PortChange, PortDraft } from '@mainstay/contract/networking/ports'
import type { ReachProbe, ReachQuestion } from '@mainstay/contract/networking/reach'
import type { InterfaceDraft, Router, RouterChange, RouterDraft } from '@mainstay/contract/networking/routers'
import type {
  SecurityGroup,
  SecurityGroupChange,
  SecurityGroupDraft,
} from '@mainstay/contract/networking/security-groups'
import type { UsualPort } from './plain'
import type { ProjectScope, Scope } from './scope'

/* Commands for networking, with the results and errors described in `compute.ts`. */

/** Network interfaces of instances. */
export interface InterfacesPort {
  attach(scope: Scope, instanceId: string, draft: InstanceDraft['networks'][number]): Promise<Instance>
  detach(scope: Scope, instanceId: string, portId: string): Promise<Instance>
  /** Throws `unsupported` for a field that this engine cannot change. */
  update(scope: Scope, instanceId: string, portId: string, change: InstanceInterfaceChange): Promise<Instance>
}

/** A network with the task that creates it. */
export type NetworkBegun = Network & { task_id: string }

export interface NetworksPort {
  /** Throws `quota_exceeded`, `gateway_in_pool`, and `validation` with fields such as `subnets.0.cidr`. */
  createPrivate(scope: ProjectScope, draft: PrivateNetworkDraft): Promise<Network>
  /** Throws `no_vm_public` if the infrastructure has no such network. */
  createPublic(scope: ProjectScope, draft: PublicNetworkDraft): Promise<NetworkBegun>
  /** Throws `vlan_in_use`, in addition to the errors of `createPublic`. */
  createVlan(scope: ProjectScope, draft: VlanNetworkDraft): Promise<NetworkBegun>
  /** Throws `validation` for policies of a network that does not allow them. */
  update(scope: Scope, id: string, change: NetworkChange): Promise<Network>
  /** Throws `network_in_use` with what uses it. */
  delete(scope: Scope, id: string, how: { vlanInterfaces: boolean }): Promise<void>
  physicalNetworks(scope: Scope): Promise<PhysicalNetwork[]>
}

export interface PortsPort {
  /** Throws `no_free_addresses`, `ip_address_in_use`. */
  create(scope: ProjectScope, draft: PortDraft): Promise<Port>
  update(scope: Scope, id: string, change: PortChange): Promise<Port>
  /** Throws `port_in_use` with what uses it. */
  delete(scope: Scope, id: string): Promise<void>
}

export interface RoutersPort {
  /**
   * Creates everything or nothing. Throws `overlapping_subnet`, `ip_address_in_use`, `not_routable` with the field of
   * the network.
   */
  create(scope: ProjectScope, draft: RouterDraft): Promise<Router>
  /** Throws `router_in_use` if floating IPs need the gateway, and `nexthop_unreachable` for a route. */
  update(scope: Scope, id: string, change: RouterChange): Promise<Router>
  /** Without `withInterfaces`, throws `router_in_use` with the attached networks. */
  delete(scope: Scope, id: string, how: { withInterfaces: boolean }): Promise<Router>
  addInterface(scope: Scope, id: string, draft: InterfaceDraft): Promise<Router>
  /** Throws `router_interface_in_use` with the floating IPs and routes that need it. */
  removeInterface(scope: Scope, id: string, networkId: string): Promise<Router>
}

export interface FloatingIpsPort {
  /** Throws `no_free_addresses`, `not_routable`, `port_already_has_fip`, `quota_exceeded`. */
  create(scope: ProjectScope, draft: FloatingIpDraft): Promise<FloatingIp>
  update(scope: Scope, id: string, change: FloatingIpChange): Promise<FloatingIp>
  delete(scope: Scope, id: string): Promise<void>
  /** Idempotent. Throws `unsupported` if the engine cannot publish ports. */
  publish(scope: Scope, id: string, port: { port: number; protocol: 'tcp' | 'udp' }): Promise<FloatingIp>
  unpublish(scope: Scope, id: string, port: { port: number; protocol: 'tcp' | 'udp' }): Promise<FloatingIp>
}

export interface SecurityGroupsPort {
  create(scope: ProjectScope, draft: SecurityGroupDraft): Promise<SecurityGroup>
  /** Throws `security_group_protected` for the default group of a project. */
  update(scope: Scope, id: string, change: SecurityGroupChange): Promise<SecurityGroup>
  /** Throws `security_group_protected`, and `security_group_in_use` with the ports and groups that use it. */
  delete(scope: Scope, id: string): Promise<void>
}

export interface NetworkingPort extends UsualPort<'networking'> {
  interfaces: InterfacesPort
  networks: NetworksPort
  ports: PortsPort
  routers: RoutersPort
  floatingIps: FloatingIpsPort
  securityGroups: SecurityGroupsPort
  /** Sends real packets from a port. Throws `unsupported` if the engine cannot. */
  probe(scope: Scope, question: ReachQuestion): Promise<Omit<ReachProbe, 'answer'>>
  /** The network services of this host, for operators; null for a cloud. */
  host(): Promise<NetworkService['host']>
  /** Why networking is only simulated here, for display; null if it is real. */
  unavailable(): string | null
}

declare module './area-ports' {
  interface OwnPorts {
    networking: NetworkingPort
  }
}
