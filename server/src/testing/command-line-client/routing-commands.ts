import type { Exchange } from './client'
import {
  type Command,
  compute,
  change,
  floatingIp,
  problem,
  router,
  routerInterfaces,
  rule,
  securityGroup,
} from './shapes'

const routers: readonly Command[] = [
  {
    command: 'router create, list, show, set',
    as: 'member',
    exchanges: [
      {
        send: `POST ${compute}/routers`,
        body: {
          ...{ name: 'client-router', external_gateway_info: { network_id: '{outside}', enable_snat: true } },
          internal_interfaces: [{ network_id: '{inside}' }],
        },
        ...{ status: 201, shape: router, keep: { router: 'id' } },
        equals: { 'external_gateway_info.network_id': '{outside}', 'external_gateway_info.enable_snat': true },
      },
      {
        ...{ send: `POST ${compute}/routers`, body: { name: 'client-inner' }, status: 201, shape: router },
        ...{ keep: { inner: 'id' }, equals: { external_gateway_info: null } },
      },
      {
        ...{ send: `GET ${compute}/routers/{router}`, status: 200, shape: router },
        until: { field: 'status', is: 'ACTIVE', waits: ['BUILD', 'PENDING_CREATE', 'PENDING_UPDATE', 'DOWN'] },
      },
      { send: `GET ${compute}/routers?limit=1`, status: 200, shape: router, pages: true },
      { send: `GET ${compute}/routers`, status: 200, find: { name: 'client-router', keep: 'router' } },
      {
        ...{ send: `GET ${compute}/routers/?project_id={project}&id=in:{router}`, status: 200 },
        ...{ shape: { data: [router] }, equals: { 'data.0.id': '{router}' } },
      },
      change(
        'routers/{router}',
        { name: 'client-edge', routes: [{ destination: '10.9.0.0/16', nexthop: '192.168.50.7' }] },
        router,
        { name: 'client-edge', routes: [{ destination: '10.9.0.0/16', nexthop: '192.168.50.7' }] },
      ),
      change('routers/{router}', { name: 'client-router', routes: [] }, router, { routes: [] }),
      change('routers/{router}', { external_gateway_info: null }, router, { external_gateway_info: null }),
      change('routers/{router}', { external_gateway_info: { network_id: '{outside}', enable_snat: false } }, router, {
        'external_gateway_info.enable_snat': false,
      }),
      change('routers/{router}', { external_gateway_info: { network_id: '{outside}' } }, router),
      {
        ...{ send: `PATCH ${compute}/routers/{router}`, body: { routes: [{ destination: '10.9.0.0/16' }] } },
        ...{ status: 400, shape: problem },
      },
    ],
  },
  {
    command: 'router iface list, add, remove',
    as: 'member',
    exchanges: [
      {
        ...{ send: `GET ${compute}/routers/{router}//interfaces`, status: 200, shape: routerInterfaces },
        equals: {
          'external_interface.network_id': '{outside}',
          'internal_interfaces.0.network_id': '{inside}',
          'internal_interfaces.0.fixed_ips.0.ip_address': '192.168.50.1',
        },
      },
      {
        ...{ send: `PUT ${compute}/routers/{inner}//add_interface`, status: 200, shape: routerInterfaces },
        ...{ body: { network_id: '{inside}', ip_address: '192.168.50.3' } },
        equals: { external_interface: null, 'internal_interfaces.0.fixed_ips.0.ip_address': '192.168.50.3' },
      },
      {
        ...{ send: `DELETE ${compute}/routers/{inner}`, status: 409, shape: problem },
      },
      {
        ...{ send: `PUT ${compute}/routers/{inner}//remove_interface`, body: { network_id: '{inside}' }, status: 200 },
        ...{ shape: routerInterfaces, equals: { external_interface: null, internal_interfaces: [] } },
      },
      { send: `DELETE ${compute}/routers/{inner}`, status: 202 },
      { send: `GET ${compute}/routers/{inner}`, status: 404, shape: problem, isGoing: true },
    ],
  },
]

const floatingIps: readonly Command[] = [
  {
    command: 'floatingip create, list, show, set, delete',
    as: 'member',
    exchanges: [
      {
        send: `POST ${compute}/floating_ips`,
        body: {
          ...{ floating_network_id: '{outside}', port_id: '{port}', fixed_ip_address: '192.168.50.31' },
          description: 'of the client',
        },
        ...{ status: 201, shape: floatingIp, keep: { floating: 'id', address: 'floating_ip_address' } },
        equals: { fixed_ip_address: '192.168.50.31', port_id: '{port}', floating_network_id: '{outside}' },
      },
      {
        ...{ send: `POST ${compute}/floating_ips`, body: { floating_network_id: '{outside}' }, status: 201 },
        ...{ shape: floatingIp, keep: { spare: 'id' }, equals: { port_id: null, fixed_ip_address: null } },
      },
      { send: `GET ${compute}/floating_ips?limit=1`, status: 200, shape: floatingIp, pages: true },
      ...['floating_ip_address={address}', 'id={floating}', 'project_id={project}&floating_network_id={outside}'].map(
        (query): Exchange => ({
          ...{ send: `GET ${compute}/floating_ips/?${query}`, status: 200, shape: { data: [floatingIp] } },
          equals: { 'data.0.id': '{floating}', 'data.0.floating_ip_address': '{address}' },
        }),
      ),
      { send: `GET ${compute}/floating_ips/{floating}`, status: 200, shape: floatingIp, equals: { id: '{floating}' } },
      change('floating_ips/{floating}', { port_id: null, description: 'free' }, floatingIp, {
        ...{ port_id: null, attached_to: null, status: 'DOWN', description: 'free' },
      }),
      change('floating_ips/{floating}', { port_id: '{port}', fixed_ip_address: '192.168.50.31' }, floatingIp, {
        ...{ port_id: '{port}', fixed_ip_address: '192.168.50.31' },
      }),
      {
        ...{ send: `DELETE ${compute}/networks/private/{inside}`, status: 409, shape: problem },
      },
      { send: `DELETE ${compute}/floating_ips/{floating}`, status: 204 },
      { send: `DELETE ${compute}/floating_ips/{spare}`, status: 204 },
      { send: `GET ${compute}/floating_ips/{floating}`, status: 404, shape: problem },
    ],
  },
]

const securityGroups: readonly Command[] = [
  {
    command: 'security-group create, list, show, set',
    as: 'member',
    exchanges: [
      {
        ...{ send: `POST ${compute}/security-groups`, body: { name: 'client-web', description: 'of the client' } },
        ...{ status: 201, shape: securityGroup, keep: { group: 'id' }, equals: { name: 'client-web' } },
      },
      { send: `GET ${compute}/security-groups?limit=1`, status: 200, shape: securityGroup, pages: true },
      { send: `GET ${compute}/security-groups`, status: 200, find: { name: 'client-web', keep: 'group' } },
      { send: `GET ${compute}/security-groups`, status: 200, find: { name: '{group}', keep: 'group' } },
      { send: `GET ${compute}/security-groups`, status: 200, find: { name: 'default', keep: 'first_group' } },
      change('security-groups/{group}', { name: 'client-web-2', description: 'changed' }, securityGroup, {
        ...{ name: 'client-web-2', description: 'changed' },
      }),
    ],
  },
  {
    command: 'security-group rule create, list, show, delete',
    as: 'member',
    exchanges: [
      {
        send: `POST ${compute}/security-group-rules`,
        body: {
          ...{ security_group_id: '{group}', direction: 'ingress', protocol: 'tcp', ethertype: 'IPv4' },
          ...{ port_range_min: '80', port_range_max: '81', remote_ip_prefix: '192.168.0.0/16' },
        },
        ...{ status: 201, shape: rule, keep: { rule: 'id' } },
        equals: { port_range_min: 80, port_range_max: 81, remote_ip_prefix: '192.168.0.0/16', remote_group_id: null },
      },
      {
        send: `POST ${compute}/security-group-rules`,
        body: { security_group_id: '{group}', direction: 'ingress', remote_group_id: '{group}', ethertype: 'IPv6' },
        ...{ status: 201, shape: rule, equals: { remote_group_id: '{group}', protocol: null } },
      },
      { send: `GET ${compute}/security-group-rules?limit=2`, status: 200, shape: rule, pages: true },
      { send: `GET ${compute}/security-group-rules`, status: 200, find: { name: '{rule}', keep: 'rule' } },
      { send: `GET ${compute}/security-group-rules/{rule}`, status: 200, shape: rule, equals: { protocol: 'tcp' } },
      {
        send: `POST ${compute}/security-group-rules`,
        body: {
          security_group_id: '{group}',
          direction: 'ingress',
          protocol: 'tcp',
          port_range_min: 9,
          port_range_max: 8,
        },
        ...{ status: 400, shape: problem },
      },
      { send: `DELETE ${compute}/security-group-rules/{rule}`, status: 204 },
      { send: `GET ${compute}/security-group-rules/{rule}`, status: 404, shape: problem },
    ],
  },
]

/** Routers, floating IPs and security groups. */
export const routingCommands: readonly Command[] = [...routers, ...floatingIps, ...securityGroups]
