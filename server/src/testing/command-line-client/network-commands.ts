import type { Exchange } from './client'
import { type Command, v2, compute, change, network, port, problem, subnet, task } from './shapes'

const params = (value: unknown): string => `params=${encodeURIComponent(JSON.stringify(value))}`
const taskStates = ['running', 'scheduled', 'cancelling', 'paused', 'starting']

/** Networks with their subnets and ports. External networks are created by the operator, in a task. */
export const networkCommands: readonly Command[] = [
  {
    command: 'network create --physical-network --wait',
    as: 'operator',
    exchanges: [
      {
        send: `POST ${compute}/networks/public`,
        body: {
          ...{ name: 'client-outside', physical_network: 'public', default_vnic_type: 'normal', mtu: '1500' },
          subnets: [
            {
              ...{
                cidr: '203.0.113.0/24',
                enable_dhcp: false,
                gateway_ip: '203.0.113.1',
                dns_nameservers: ['9.9.9.9'],
              },
              ...{ allocation_pools: [{ start: '203.0.113.10', end: '203.0.113.99' }], ip_version: 4 },
            },
          ],
          rbac_policies: [{ target_project: '*', actions: ['routed'] }],
        },
        ...{ status: 202, shape: { task_id: 's' }, keep: { task: 'task_id' } },
      },
      {
        ...{ send: `GET ${v2}/tasks/{task}`, status: 200, shape: task },
        until: { field: 'state', is: 'success', waits: taskStates },
      },
      {
        ...{ send: `GET ${v2}/tasks/{task}`, status: 200, shape: { result: network } },
        ...{ keep: { outside: 'result.id' }, equals: { 'result.name': 'client-outside', 'result.mtu': 1500 } },
      },
      {
        ...{ send: `GET ${compute}/networks/{outside}`, status: 200, shape: network },
        equals: {
          ...{ type: 'flat', physical_network: 'public', 'subnets.0.enable_dhcp': false },
          'subnets.0.allocation_pools': [{ start: '203.0.113.10', end: '203.0.113.99' }],
        },
      },
    ],
  },
  {
    command: 'network create --vlan-network --vlan, set, delete --delete-vlan-interfaces',
    as: 'operator',
    exchanges: [
      {
        send: `POST ${compute}/networks/public`,
        body: {
          ...{ name: 'client-lab', vlan_network: 'public', vlan_id: '77', default_vnic_type: 'normal' },
          ...{ subnets: [{ cidr: '198.51.100.0/24', enable_dhcp: true, ip_version: 4 }], rbac_policies: [] },
        },
        ...{ status: 202, shape: { task_id: 's' }, keep: { task: 'task_id' } },
      },
      {
        ...{ send: `GET ${v2}/tasks/{task}`, status: 200, shape: { ...task, result: 'o?' } },
        ...{ keep: { lab: 'result.id' }, until: { field: 'state', is: 'success', waits: taskStates } },
      },
      {
        ...{ send: `GET ${compute}/networks/?name=client-lab`, status: 200, shape: { data: [network] } },
        equals: { 'data.0.id': '{lab}', 'data.0.type': 'vlan', 'data.0.vlan_id': 77 },
      },
      {
        send: `POST ${compute}/networks/public`,
        body: { name: 'two places', physical_network: 'public', vlan_network: 'public', vlan_id: 78 },
        ...{ status: 400, shape: problem },
      },
      {
        ...{ send: `POST ${compute}/networks/public`, body: { name: 'no number', vlan_network: 'public' } },
        ...{ status: 400, shape: problem },
      },
      change(
        'networks/{lab}',
        { name: 'client-lab-2', rbac_policies: [{ target_project: '{project}', actions: ['direct', 'routed'] }] },
        network,
        { name: 'client-lab-2', 'rbac_policies.0.target_project': '{project}' },
      ),
      ...['project', 'domain'].map((target) =>
        change(
          'networks/{lab}',
          { rbac_policies: [{ [`target_${target}`]: '*', actions: ['direct', 'routed'] }] },
          network,
          { rbac_policies: [{ target_project: '*', actions: ['direct', 'routed'] }] },
        ),
      ),
      {
        send: `DELETE ${compute}/networks/public/{lab}?${params({ delete_vlan_interfaces: true })}`,
        ...{ status: 202, shape: { task_id: 's' }, keep: { task: 'task_id' } },
      },
      {
        ...{ send: `GET ${v2}/tasks/{task}`, status: 200, shape: { ...task, result: 'o?' } },
        until: { field: 'state', is: 'success', waits: taskStates },
      },
      { send: `GET ${compute}/networks/{lab}`, status: 404, shape: problem, isGoing: true },
    ],
  },
  {
    command: 'network create, list, show, set',
    as: 'member',
    exchanges: [
      {
        send: `POST ${compute}/networks/private`,
        body: {
          ...{ name: 'client-inside', mtu: '1400', default_vnic_type: 'normal', rbac_policies: [] },
          subnets: [
            {
              ...{
                cidr: '192.168.50.0/24',
                enable_dhcp: true,
                gateway_ip: '192.168.50.1',
                dns_nameservers: ['9.9.9.9'],
              },
              ...{ allocation_pools: [{ start: '192.168.50.20', end: '192.168.50.90' }], ip_version: 4 },
            },
          ],
        },
        ...{ status: 201, shape: network, keep: { inside: 'id', range: 'subnets.0.id' } },
        equals: { name: 'client-inside', mtu: 1400, type: 'vxlan', 'subnets.0.dns_nameservers': ['9.9.9.9'] },
      },
      {
        send: `POST ${compute}/networks/private`,
        body: { name: 'client-bare', subnets: [] },
        ...{ status: 201, shape: network, keep: { bare: 'id' }, equals: { subnets: [] } },
      },
      { send: `GET ${compute}/networks?limit=1`, status: 200, shape: network, pages: true },
      { send: `GET ${compute}/networks`, status: 200, find: { name: 'client-inside', keep: 'inside' } },
      { send: `GET ${compute}/networks`, status: 200, find: { name: '{inside}', keep: 'inside' } },
      ...[
        'type=vxlan&sort=name:desc',
        'id=in:{inside}',
        'name=contains:client-ins',
        'project_id={project}&name=any:client-inside',
      ].map((query): Exchange => ({
        ...{ send: `GET ${compute}/networks/?${query}`, status: 200, shape: { data: [network] } },
        equals: { 'data.0.id': '{inside}' },
      })),
      change('networks/{inside}', { name: 'client-in', mtu: 1450 }, network, { name: 'client-in', mtu: 1450 }),
      change('networks/{inside}', { name: 'client-inside' }, network),
      { send: `DELETE ${compute}/networks/public/{bare}`, status: 404, shape: problem },
      { send: `DELETE ${compute}/networks/private/{bare}?${params({ delete_vlan_interfaces: true })}`, status: 204 },
      {
        ...{
          send: `POST ${compute}/networks/private`,
          body: { name: 'wrong', subnets: [{ cidr: '192.168.50.5/24' }] },
        },
        ...{ status: 400, shape: problem },
      },
      {
        send: `POST ${compute}/networks/public`,
        body: { name: 'not theirs', physical_network: 'public', subnets: [] },
        ...{ status: 403, shape: problem },
      },
    ],
  },
  {
    command: 'subnet create, list, show, set, delete',
    as: 'member',
    exchanges: [
      {
        send: `POST ${compute}/subnets`,
        body: { network_id: '{inside}', cidr: 'fd00:50::/64', enable_dhcp: true, ipv6_address_mode: 'dhcpv6-stateful' },
        ...{ status: 201, shape: subnet, keep: { six: 'id' } },
        equals: { network_id: '{inside}', ip_version: 6, ipv6_address_mode: 'dhcpv6-stateful' },
      },
      { send: `GET ${compute}/subnets?network_id={inside}&limit=1`, status: 200, shape: subnet, pages: true },
      { send: `GET ${compute}/subnets/{range}`, status: 200, shape: subnet, equals: { cidr: '192.168.50.0/24' } },
      change(
        'subnets/{range}',
        { enable_dhcp: false, dns_nameservers: ['9.9.9.9', '1.1.1.1'], gateway_ip: '192.168.50.2' },
        subnet,
        { enable_dhcp: false, dns_nameservers: ['9.9.9.9', '1.1.1.1'], gateway_ip: '192.168.50.2' },
      ),
      change('subnets/{range}', { gateway_ip: null }, subnet, { gateway_ip: null }),
      change('subnets/{range}', { enable_dhcp: true, gateway_ip: '192.168.50.1' }, subnet, { enable_dhcp: true }),
      {
        ...{ send: `GET ${compute}/networks/{inside}`, status: 200, shape: network },
        equals: { 'subnets.0.dns_nameservers': ['9.9.9.9', '1.1.1.1'], 'subnets.1.id': '{six}' },
      },
      { send: `DELETE ${compute}/subnets/{six}`, status: 204 },
      { send: `GET ${compute}/subnets/{six}`, status: 404, shape: problem },
    ],
  },
  {
    command: 'ports create, list, show, set',
    as: 'member',
    exchanges: [
      {
        send: `POST ${compute}/ports`,
        body: {
          ...{
            network_id: '{inside}',
            name: 'client-port',
            description: 'of the client',
            mac_address: '52:54:00:aa:bb:50',
          },
          ...{ 'binding:vnic_type': 'normal', project_id: '{project}', admin_state_up: true, tags: ['blue'] },
          fixed_ips: [{ ip_address: '192.168.50.30' }],
        },
        ...{ status: 201, shape: port, keep: { port: 'id' } },
        equals: { 'fixed_ips.0.ip_address': '192.168.50.30', mac_address: '52:54:00:aa:bb:50', tags: ['blue'] },
      },
      { send: `GET ${compute}/ports?limit=1`, status: 200, shape: port, pages: true },
      { send: `GET ${compute}/ports`, status: 200, find: { name: 'client-port', keep: 'port' } },
      { send: `GET ${compute}/ports/{port}`, status: 200, shape: port, equals: { network_id: '{inside}' } },
      ...[
        'mac_address=52:54:00:aa:bb:50',
        'fixed_ips=192.168.50.30',
        'network_id={inside}&device_owner=&tags=blue',
        'project_id={project}&name=client-port&sort=name:asc',
      ].map((query): Exchange => ({
        ...{ send: `GET ${compute}/ports/?${query}`, status: 200, shape: { data: [port] } },
        equals: { 'data.0.id': '{port}' },
      })),
      {
        ...{ send: `GET ${compute}/ports/?device_id=nothing`, status: 200, shape: { data: [port] } },
        equals: { data: [] },
      },
      {
        send: `PUT ${compute}/ports/{port}`,
        body: {
          ...{ network_id: '{inside}', name: 'client-port-2', description: '', mac_address: '52:54:00:aa:bb:50' },
          ...{ admin_state_up: false, tags: [], fixed_ips: [{ ip_address: '192.168.50.31' }] },
        },
        ...{ status: 200, shape: port },
        equals: { name: 'client-port-2', 'fixed_ips.0.ip_address': '192.168.50.31', admin_state_up: false, tags: [] },
      },
      {
        ...{ send: `PUT ${compute}/ports/{port}`, body: { name: 'client-port', admin_state_up: true }, status: 200 },
        ...{ shape: port, equals: { name: 'client-port', admin_state_up: true } },
      },
    ],
  },
]
