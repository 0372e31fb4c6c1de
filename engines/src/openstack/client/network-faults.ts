import type { ProblemCode } from '@mainstay/contract/core/problems'

/**
 * Codes for Neutron error types, which are defined in the module `neutron_lib.exceptions` and its submodules for
 * extensions: https://docs.openstack.org/neutron-lib/latest/
 */
const codes: Record<string, ProblemCode> = {
  NetworkInUse: 'network_in_use',
  RbacPolicyInUse: 'network_in_use',
  ExternalNetworkInUse: 'network_in_use',
  InvalidSharedSetting: 'network_in_use',
  VlanIdInUse: 'vlan_in_use',
  FlatNetworkInUse: 'vlan_in_use',
  NoNetworkAvailable: 'vlan_in_use',

  SubnetInUse: 'subnet_in_use',
  SubnetAllocationError: 'cidr_overlaps',
  GatewayConflictWithAllocationPools: 'gateway_in_pool',
  GatewayIpInUse: 'ip_address_in_use',
  OverlappingAllocationPools: 'validation',
  SubnetPoolQuotaExceeded: 'quota_exceeded',

  IpAddressInUse: 'ip_address_in_use',
  IpAddressAlreadyAllocated: 'ip_address_in_use',
  IpAddressGenerationFailure: 'no_free_addresses',
  IpAddressGenerationFailureNoMatchingSubnet: 'no_free_addresses',
  ExternalIpAddressExhausted: 'no_free_addresses',
  NoMoreFixedIps: 'no_free_addresses',
  MacAddressInUse: 'conflict',
  PortInUse: 'port_in_use',
  ServicePortInUse: 'port_in_use',
  L3PortInUse: 'port_in_use',
  PortInUseAsTrunkParent: 'port_in_use',
  PortInUseAsSubPort: 'port_in_use',
  PortBound: 'port_in_use',

  RouterInUse: 'router_in_use',
  RouterExternalGatewayInUseByFloatingIp: 'router_in_use',
  RouterInterfaceInUseByFloatingIP: 'router_interface_in_use',
  RouterInterfaceInUseByRoute: 'router_interface_in_use',

  ExternalGatewayForFloatingIPNotFound: 'not_routable',
  FloatingIPPortAlreadyAssociated: 'port_already_has_fip',

  SecurityGroupInUse: 'security_group_in_use',
  SecurityGroupCannotRemoveDefault: 'security_group_protected',
  SecurityGroupCannotUpdateDefault: 'security_group_protected',
  SecurityGroupDefaultAlreadyExists: 'security_group_protected',
  SecurityGroupRuleExists: 'duplicate_name',
  SecurityGroupInvalidPortRange: 'invalid_port_range',
  SecurityGroupInvalidPortValue: 'invalid_port_range',
  SecurityGroupInvalidIcmpValue: 'invalid_port_range',
  SecurityGroupMissingIcmpType: 'invalid_port_range',
  SecurityGroupProtocolRequiredWithPorts: 'invalid_port_range',

  // VPN: module `neutron_lib.exceptions.vpn`
  IKEPolicyInUse: 'policy_in_use',
  IPsecPolicyInUse: 'policy_in_use',
  EndpointGroupInUse: 'endpoint_group_in_use',
  VPNServiceInUse: 'conflict',
  VPNStateInvalidToUpdate: 'vpn_pending',
  RouterIsNotExternal: 'router_no_gateway',
  SubnetInUseByEndpointGroup: 'subnet_in_use',
  SubnetInUseByVPNService: 'router_interface_in_use',
  SubnetInUseByIPsecSiteConnection: 'router_interface_in_use',
}

/** Errors that have the same type and can be distinguished only by their message. */
const byWords: readonly { type: RegExp; words: RegExp; code: ProblemCode }[] = [
  { type: /^(InvalidInput|BadRequest)$/, words: /overlaps with another subnet/i, code: 'cidr_overlaps' },
  { type: /^BadRequest$/, words: /overlaps with cidr/i, code: 'overlapping_subnet' },
  { type: /^InvalidInput$/, words: /unknown .*for .*provider network/i, code: 'no_vm_public' },
  { type: /^InvalidRoutes$/, words: /nexthop is (not connected|used by)/i, code: 'nexthop_unreachable' },
]

/** Returns the specific code for a Neutron error, or undefined if there is none. */
export const codeOfNetworkFault = (type: string | null, text: string): ProblemCode | undefined =>
  byWords.find((one) => type !== null && one.type.test(type) && one.words.test(text))?.code ?? codes[type ?? '']
