import type { Exchange, Shape } from './client'

type Fields = Readonly<Record<string, Shape>>

/** A client command, and the user who runs it. */
export interface Command {
  command: string
  /** `operator`: the first administrator, without a project. `member`: in a project in another domain. */
  as: 'operator' | 'member'
  exchanges: readonly Exchange[]
}

export const v2 = '/api/v2'
export const v3 = '/api/v3'
export const compute = `${v2}/compute`

export const subnet: Fields = {
  ...{ id: 's', network_id: 's', ip_version: 'n', cidr: 's', enable_dhcp: 'b', gateway_ip: 's?' },
  ...{ dns_nameservers: ['s'], allocation_pools: [{ start: 's', end: 's' }] },
}
export const network: Fields = {
  ...{ id: 's', name: 's', type: 's', subnets: [subnet], physical_network: 's?', vlan_id: 'n?', mtu: 'n' },
  ...{ rbac_policies: ['o'], default_vnic_type: 's' },
}
export const port: Fields = {
  ...{ id: 's', name: 's', status: 's', network_id: 's', mac_address: 's', device_id: 's', device_owner: 's' },
  ...{ fixed_ips: [{ ip_address: 's', subnet_id: 's' }], admin_state_up: 'b', tags: ['s'], project_id: 's' },
  ...{ 'binding:vnic_type': 's', 'binding:host_id': 's?', security_groups: ['s'] },
}
export const router: Fields = {
  ...{ id: 's', name: 's', status: 's', routes: [{ destination: 's', nexthop: 's' }], project_id: 's' },
  external_gateway_info: 'o?',
}
const routerInterface: Fields = { network_id: 's', fixed_ips: [{ ip_address: 's' }], status: 's' }
export const routerInterfaces: Fields = { external_interface: 'o?', internal_interfaces: [routerInterface] }
export const floatingIp: Fields = {
  ...{ id: 's', floating_ip_address: 's', floating_network_id: 's', fixed_ip_address: 's?', port_id: 's?' },
  ...{ attached_to: 's?', status: 's', description: 's' },
}
export const securityGroup: Fields = { id: 's', name: 's', description: 's', project_id: 's', tags: ['s'] }
export const rule: Fields = {
  ...{ id: 's', security_group_id: 's', direction: 's', ethertype: 's', protocol: 's?', remote_ip_prefix: 's?' },
  ...{ remote_group_id: 's?', port_range_min: 'n?', port_range_max: 'n?' },
}
export const card: Fields = {
  ...{ id: 's', port_id: 's', network_id: 's', network_name: 's', mac_addr: 's', spoofing_protection: 'b' },
  fixed_ips: [{ ip_address: 's', subnet_id: 's' }],
}
export const server: Fields = {
  ...{ id: 's', name: 's', status: 's', task_state: 's?', flavor: 'o', volumes: [{ id: 's' }], ha_enabled: 'b' },
  ...{ networks: [{ id: 's', name: 's', ips: ['s'] }], metadata: 'o', tags: ['s'], project_id: 's' },
}
export const volume: Fields = {
  ...{ id: 's', name: 's', size: 'n', status: 's', storage_policy_name: 's', bootable: 'b', attachments: ['o'] },
}
export const event: Fields = {
  ...{ id: 's', action: 's', username: 's', start_time: 's', status: 's', project_id: 's', server_id: 's' },
  ...{ user_id: 's', request_id: 's' },
}
export const image: Fields = {
  ...{ id: 's', name: 's', status: 's', disk_format: 's', min_disk: 'n', min_ram: 'n', visibility: 's', tags: ['s'] },
  ...{ size: 'n?', protected: 'b', os_distro: 's' },
}
export const flavor: Fields = { id: 's', name: 's', vcpus: 'n', ram: 'n', swap: 'n' }
export const node: Fields = { id: 's', host: 's', state: 's', traits: ['s'] }
export const placement: Fields = { id: 's', name: 's', nodes: ['s'], images: ['s'], flavors: ['s'] }
export const project: Fields = { id: 's', name: 's' }
export const problem: Fields = { error: { message: 's' } }
export const task: Fields = {
  ...{ task_id: 's', state: 's', progress: 'n', name: 's', args: ['o'], kwargs: 'o', error: 's?' },
}
export const limit: Fields = { limit: 'n', used: 'n' }
export const quotas: Fields = {
  compute: { cores: limit, ram: limit },
  storage: { storage_policies: { default: limit }, volumes_backups: limit },
  network: { floatingip: limit, ipsec_site_connection: limit },
  ...{ k8saas: { cluster: limit }, lbaas: { loadbalancer: limit }, placement: 'o' },
}

export const readServer = (status: string, waits: string[]): Exchange => ({
  ...{ send: `GET ${compute}/servers/{server}`, status: 200, shape: server },
  until: { field: 'status', is: status, waits },
})
export const readVolume = (name: string, status: string, waits: string[]): Exchange => ({
  ...{ send: `GET ${compute}/volumes/{${name}}`, status: 200, shape: volume },
  until: { field: 'status', is: status, waits },
})
export const act = (name: string, body: unknown = {}, after?: Exchange): Exchange[] => [
  { send: `POST ${compute}/servers/{server}/${name}`, body, status: 202, shape: server },
  ...(after ? [after] : []),
]
export const change = (what: string, body: unknown, shape: Shape, equals: Record<string, unknown> = {}): Exchange => ({
  ...{ send: `PATCH ${compute}/${what}`, body, status: 200, shape, equals },
})
export const GiB = 1024 ** 3
