import type { Network } from '@mainstay/contract/networking/networks'
import type { Port } from '@mainstay/contract/networking/ports'
import type { Subnet } from '@mainstay/contract/networking/subnets'

/* Complete network rows for specs, which specify only the relevant fields. */

export const owner = { project_id: 'p', domain_id: 'd', created_at: '', updated_at: '' }
export const subnet = (id: string, cidr: string, more: Partial<Subnet> = {}): Subnet => ({
  ...{ id, name: '', network_id: 'n', cidr, ip_version: cidr.includes(':') ? 6 : 4, enable_dhcp: true },
  ...{ allocation_pools: [], dns_nameservers: [], gateway_ip: null, ipv6_ra_mode: null, ipv6_address_mode: null },
  ...{ shared: false, ...owner, ...more },
})
export const network = (id: string, more: Partial<Network> = {}): Network => ({
  ...{ id, name: id, status: 'ACTIVE', type: 'vxlan', subnets: [], shared: false, ipam_enabled: true },
  ...{ router_external: false, physical_network: null, vlan_id: null, mtu: 1450, rbac_policies: [] },
  ...{ spoofing_protection: true, default_vnic_type: 'normal', ...owner, ...more },
})
export const port = (id: string, more: Partial<Port> = {}): Port => ({
  ...{ id, name: '', description: '', network_id: 'n', network_name: 'n', status: 'ACTIVE', admin_state_up: true },
  ...{ mac_address: '52:54:00:00:00:01', fixed_ips: [], device_id: '', device_owner: '', device_name: '' },
  ...{ 'binding:vnic_type': 'normal', spoofing_protection: true, security_groups: [], floating_ips: [], tags: [] },
  ...{ ...owner, ...more },
})
