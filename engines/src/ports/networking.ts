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
  /** Throws an `unsupported` error for a field that this engine cannot change. */
  update(scope: Scope, instanceId: string, portId: string, change: InstanceInterfaceChange): Promise<Instance>
}

/** A network, with the task that creates it. */
export type NetworkBegun = Network & { task_id: string }

export interface NetworksPort {
  /**
   * Throws a `quota_exceeded` or `gateway_in_pool` error, or a `validation` error on fields such as `subnets.0.cidr`.
   */
  createPrivate(scope: ProjectScope, draft: PrivateNetworkDraft): Promise<Network>
  /** Throws a `no_vm_public` error if the infrastructure network does not exist. */
  createPublic(scope: ProjectScope, draft: PublicNetworkDraft): Promise<NetworkBegun>
  /** Throws a `vlan_in_use` error, and the errors of `createPublic`. */
  createVlan(scope: ProjectScope, draft: VlanNetworkDraft): Promise<NetworkBegun>
  /** Throws a `validation` error if policies are given for a network that does not allow them. */
  update(scope: Scope, id: string, change: NetworkChange): Promise<Network>
  /** Throws a `network_in_use` error that names the objects that use the network. */
  delete(scope: Scope, id: string, how: { vlanInterfaces: boolean }): Promise<void>
  physicalNetworks(scope: Scope): Promise<PhysicalNetwork[]>
}

export interface PortsPort {
  /** Throws a `no_free_addresses` or `ip_address_in_use` error. */
  create(scope: ProjectScope, draft: PortDraft): Promise<Port>
  update(scope: Scope, id: string, change: PortChange): Promise<Port>
  /** Throws a `port_in_use` error that names the object that uses the port. */
  delete(scope: Scope, id: string): Promise<void>
}

export interface RoutersPort {
  /**
   * Creates the router with all its interfaces, or nothing at all. Throws an `overlapping_subnet`, `ip_address_in_use`
   * or `not_routable` error on the field of the network.
   */
  create(scope: ProjectScope, draft: RouterDraft): Promise<Router>
  /**
   * Throws a `router_in_use` error if floating IPs depend on the gateway, and a `nexthop_unreachable` error for a
   * route.
   */
  update(scope: Scope, id: string, change: RouterChange): Promise<Router>
  /** Deletes a router. Without `withInterfaces`, throws a `router_in_use` error with the attached networks. */
  delete(scope: Scope, id: string, how: { withInterfaces: boolean }): Promise<Router>
  addInterface(scope: Scope, id: string, draft: InterfaceDraft): Promise<Router>
  /** Throws a `router_interface_in_use` error with the floating IPs and routes that depend on the interface. */
  removeInterface(scope: Scope, id: string, networkId: string): Promise<Router>
}

export interface FloatingIpsPort {
  /** Throws a `no_free_addresses`, `not_routable`, `port_already_has_fip` or `quota_exceeded` error. */
  create(scope: ProjectScope, draft: FloatingIpDraft): Promise<FloatingIp>
  update(scope: Scope, id: string, change: FloatingIpChange): Promise<FloatingIp>
  delete(scope: Scope, id: string): Promise<void>
  /** Idempotent. Throws an `unsupported` error if the engine cannot publish ports. */
  publish(scope: Scope, id: string, port: { port: number; protocol: 'tcp' | 'udp' }): Promise<FloatingIp>
  unpublish(scope: Scope, id: string, port: { port: number; protocol: 'tcp' | 'udp' }): Promise<FloatingIp>
}

export interface SecurityGroupsPort {
  create(scope: ProjectScope, draft: SecurityGroupDraft): Promise<SecurityGroup>
  /** Throws a `security_group_protected` error for the default group of a project. */
  update(scope: Scope, id: string, change: SecurityGroupChange): Promise<SecurityGroup>
  /**
   * Throws a `security_group_protected` error, or a `security_group_in_use` error with the ports and groups that use
   * the group.
   */
  delete(scope: Scope, id: string): Promise<void>
}

export interface NetworkingPort extends UsualPort<'networking'> {
  interfaces: InterfacesPort
  networks: NetworksPort
  ports: PortsPort
  routers: RoutersPort
  floatingIps: FloatingIpsPort
  securityGroups: SecurityGroupsPort
  /** Sends real packets from a port. Throws an `unsupported` error if the engine cannot send packets. */
  probe(scope: Scope, question: ReachQuestion): Promise<Omit<ReachProbe, 'answer'>>
  /** Returns the network services of this host, for operators, or null for a cloud. */
  host(): Promise<NetworkService['host']>
  /** Returns why networking is only simulated here, for display, or null if it is real. */
  unavailable(): string | null
}

declare module './area-ports' {
  interface OwnPorts {
    networking: NetworkingPort
  }
}
