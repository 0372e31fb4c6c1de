import { deviceOwners } from '@mainstay/contract/networking/device-owners'
import { type Command, v2, compute, change, port, problem, routerInterfaces, server, card, task } from './shapes'

/** Network interfaces with ports and security groups. Requires the servers created by earlier commands. */
export const cardCommands: readonly Command[] = [
  {
    command: 'server iface attach --port, with security groups, set, detach',
    as: 'member',
    exchanges: [
      {
        ...{ send: `POST ${compute}/servers/{server}/interfaces`, body: { port_id: '{port}' }, status: 202 },
        shape: server,
      },
      {
        ...{ send: `GET ${compute}/servers/{server}/interfaces`, status: 200, shape: { data: [card] } },
        equals: { 'data.1.id': '{port}', 'data.1.mac_addr': '52:54:00:aa:bb:50', 'data.1.network_id': '{inside}' },
      },
      {
        ...{ send: `GET ${compute}/ports/{port}`, status: 200, shape: port },
        equals: { device_id: '{server}', device_owner: deviceOwners.instance },
      },
      change('servers/{server}/interfaces/{port}', { security_groups: ['{group}'] }, card),
      { send: `GET ${compute}/ports/{port}`, status: 200, shape: port, equals: { security_groups: ['{group}'] } },
      change('servers/{server}/interfaces/{port}', { spoofing_protection: false, security_groups: [] }, card, {
        spoofing_protection: false,
      }),
      { send: `DELETE ${compute}/security-groups/{group}`, status: 204 },
      { send: `DELETE ${compute}/servers/{server}/interfaces/{port}`, status: 202 },
      {
        ...{ send: `GET ${v2}/tasks?subject_id={server}&name=compute.server.detach_interface&sort=created_at:desc` },
        ...{ status: 200, shape: { data: [task] } },
        until: { field: 'data.0.state', is: 'success', waits: ['running', 'starting', 'scheduled'] },
      },
      // detaching does not delete this port, because it existed before
      {
        ...{ send: `GET ${compute}/ports/{port}`, status: 200, shape: port },
        equals: { device_id: '', device_owner: '', 'fixed_ips.0.ip_address': '192.168.50.31' },
      },
      {
        ...{ send: `POST ${compute}/servers/{server}/interfaces`, body: { port_id: '{port}', network_id: '{inside}' } },
        ...{ status: 400, shape: problem },
      },
      { send: `DELETE ${compute}/ports/{port}`, status: 204 },
      {
        ...{ send: `POST ${compute}/servers/{server}/interfaces`, body: { port_id: '{port}' }, status: 400 },
        shape: problem,
      },
    ],
  },
  {
    command:
      'server iface attach --network with an address and security groups, ports delete, router delete, network delete',
    as: 'member',
    exchanges: [
      {
        send: `POST ${compute}/servers/{server}/interfaces`,
        body: {
          ...{ network_id: '{inside}', fixed_ips: ['192.168.50.40'], mac_addr: '52:54:00:aa:bb:51' },
          ...{ spoofing_protection: true, security_groups: ['{first_group}'] },
        },
        ...{ status: 202, shape: server, keep: { second_card: 'network_data.1.id' } },
      },
      {
        ...{
          send: `GET ${compute}/ports?device_id={server}&network_id={inside}`,
          status: 200,
          shape: { data: [port] },
        },
        equals: { 'data.0.fixed_ips.0.ip_address': '192.168.50.40', 'data.0.security_groups': ['{first_group}'] },
      },
      { send: `DELETE ${compute}/ports/{second_card}`, status: 409, shape: problem },
      { send: `DELETE ${compute}/servers/{server}/interfaces/{second_card}`, status: 202 },
      { send: `GET ${compute}/ports/{second_card}`, status: 404, shape: problem, isGoing: true },
      {
        ...{ send: `PUT ${compute}/routers/{router}/remove_interface`, body: { network_id: '{inside}' }, status: 200 },
        shape: routerInterfaces,
      },
      { send: `DELETE ${compute}/routers/{router}`, status: 202 },
      { send: `GET ${compute}/routers/{router}`, status: 404, shape: problem, isGoing: true },
      { send: `DELETE ${compute}/networks/private/{inside}`, status: 204 },
      { send: `GET ${compute}/networks/{inside}`, status: 404, shape: problem },
    ],
  },
]
