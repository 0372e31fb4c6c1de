import {
  type Command,
  v2,
  compute,
  card,
  server,
  event,
  problem,
  task,
  readServer,
  readVolume,
  act,
  change,
  GiB,
} from './shapes'

/** Servers: create, view, update, attach and power commands. */
export const serverCommands: readonly Command[] = [
  {
    command: 'server create --wait',
    as: 'member',
    exchanges: [
      {
        ...{ send: `POST ${compute}/servers`, status: 202, shape: server, keep: { server: 'id' } },
        body: {
          ...{ name: 'web', description: 'of the client', flavor: '{flavor}', key_name: 'laptop', ha_enabled: 'true' },
          networks: [{ network_id: '{network}', fixed_ips: [], spoofing_protection: true, security_groups: [] }],
          volumes: [
            {
              ...{ source_type: 'image', uuid: '{image}', volume_size: '2', disk_bus: 'virtio', device_type: 'disk' },
              ...{ delete_on_termination: true, storage_policy_name: 'default' },
            },
          ],
          ...{ config_drive: false, uefi: false, traits: [], metadata: { tier: 'web' } },
        },
        equals: { 'volumes.0.size': 2 * GiB, 'volumes.0.boot_index': 0, 'volumes.0.delete_on_termination': true },
      },
      readServer('ACTIVE', ['BUILD']),
    ],
  },
  {
    command: 'server list, show, set',
    as: 'member',
    exchanges: [
      { send: `GET ${compute}/servers?limit=1`, status: 200, shape: server, pages: true },
      { send: `GET ${compute}/servers`, status: 200, find: { name: 'web', keep: 'server' } },
      {
        send: `GET ${compute}/servers/?status=in:ACTIVE,ERROR&name=contains:we`,
        status: 200,
        shape: { data: [server] },
      },
      change('servers/{server}', { description: 'changed', ha_enabled: 'false' }, server, { ha_enabled: false }),
      { send: `GET ${compute}/servers?host=x`, status: 400, shape: problem },
    ],
  },
  {
    command: 'server iface list, attach, set, detach',
    as: 'member',
    exchanges: [
      {
        ...{ send: `GET ${compute}/servers/{server}/interfaces`, status: 200, shape: { data: [card] } },
        keep: { card: 'data.0.id', address: 'data.0.fixed_ips.0.ip_address' },
      },
      {
        ...{ send: `GET ${compute}/servers?ip_address={address}`, status: 200, shape: { data: [server] } },
        equals: { 'data.0.id': '{server}', 'data.0.networks.0.ips': ['{address}'] },
      },
      {
        ...{ send: `POST ${compute}/servers/{server}/interfaces`, status: 202, shape: server },
        ...{ body: { network_id: '{network}', mac_addr: '52:54:00:aa:bb:cc' }, keep: { card: 'network_data.1.id' } },
      },
      change('servers/{server}/interfaces/{card}', { spoofing_protection: true, security_groups: [] }, card),
      // the network is shared with all projects
      {
        ...{ send: `PATCH ${compute}/servers/{server}/interfaces/{card}`, body: { spoofing_protection: false } },
        ...{ status: 403, shape: problem },
      },
      {
        ...{ send: `PATCH ${compute}/servers/{server}/interfaces/{card}`, body: { fixed_ips: ['10.20.3.3'] } },
        ...{ status: 409, shape: problem },
      },
      { send: `DELETE ${compute}/servers/{server}/interfaces/{card}`, status: 202 },
      {
        ...{ send: `GET ${v2}/tasks?subject_id={server}&name=compute.server.detach_interface`, status: 200 },
        ...{ shape: { data: [task] }, until: { field: 'data.0.state', is: 'success', waits: ['running', 'starting'] } },
      },
    ],
  },
  {
    command: 'server volume attach, list, show, detach',
    as: 'member',
    exchanges: [
      {
        ...{ send: `POST ${compute}/servers/{server}/volumes`, body: { uuid: '{volume}' }, status: 202, shape: server },
      },
      readVolume('volume', 'in-use', ['attaching', 'reserved', 'available']),
      {
        ...{ send: `GET ${compute}/servers/{server}/volumes`, status: 200 },
        shape: { data: [{ id: 's', name: 's', size: 'n', delete_on_termination: 'b' }] },
      },
      { send: `DELETE ${compute}/servers/{server}/volumes/{volume}`, status: 202 },
      readVolume('volume', 'available', ['detaching', 'in-use']),
    ],
  },
  {
    command: 'server tag, meta, event, log, stat',
    as: 'member',
    exchanges: [
      { send: `PUT ${compute}/servers/{server}/tags/blue`, status: 200, shape: server },
      { send: `GET ${compute}/servers/{server}/tags`, status: 200, shape: { data: ['s'] }, equals: { data: ['blue'] } },
      { send: `DELETE ${compute}/servers/{server}/tags/blue`, status: 200, shape: server },
      {
        send: `POST ${compute}/servers/{server}/metadata`,
        body: { metadata: { a: '1', b: '2' } },
        status: 200,
        shape: server,
      },
      { send: `DELETE ${compute}/servers/{server}/metadata`, body: { metadata: { a: null, b: null } }, status: 204 },
      {
        send: `DELETE ${compute}/servers/{server}/metadata`,
        body: { metadata: { a: null } },
        status: 404,
        shape: problem,
      },
      {
        ...{ send: `GET ${compute}/servers/{server}`, status: 200, shape: server },
        equals: { metadata: { tier: 'web' } },
      },
      { send: `GET ${compute}/servers/{server}/events?limit=3`, status: 200, shape: event, pages: true },
      {
        send: `GET ${compute}/servers/{server}/events`,
        status: 200,
        shape: { data: [event] },
        keep: { event: 'data.0.id', request: 'data.0.request_id' },
      },
      {
        ...{ send: `GET ${compute}/servers/{server}/events/{event}`, status: 200, shape: event },
        equals: { id: '{event}', server_id: '{server}' },
      },
      {
        ...{ send: `GET ${compute}/servers/{server}/events/{request}`, status: 200, shape: event },
        equals: { request_id: '{request}', server_id: '{server}' },
      },
      { send: `GET ${compute}/servers/{server}/events/999999999`, status: 404, shape: problem },
      { send: `GET ${compute}/servers/{server}/log`, status: 200, isBytes: true },
      { send: `GET ${compute}/servers/{server}/stat`, status: 200, shape: { disks: ['o'], nics: ['o'] } },
      { send: `GET ${compute}/servers/{server}/console`, status: 200, shape: { token: 's', path: 's' } },
    ],
  },
  {
    command: 'server pause, suspend, reboot, stop, iface set, start, rescue, shelve, resize',
    as: 'member',
    exchanges: [
      ...act('pause', {}, readServer('PAUSED', ['ACTIVE'])),
      ...act('unpause', {}, readServer('ACTIVE', ['PAUSED'])),
      ...act('suspend', {}, readServer('SUSPENDED', ['ACTIVE'])),
      ...act('resume', {}, readServer('ACTIVE', ['SUSPENDED'])),
      ...act('reboot', { hard: 'true' }, readServer('ACTIVE', ['REBOOT', 'HARD_REBOOT'])),
      ...act('rescue', {}, readServer('RESCUE', ['ACTIVE'])),
      ...act('unrescue', {}, readServer('ACTIVE', ['RESCUE'])),
      ...act('stop', { hard: true }, readServer('SHUTOFF', ['ACTIVE'])),
      {
        ...{ send: `GET ${compute}/servers/{server}/interfaces`, status: 200, shape: { data: [card] } },
        keep: { card: 'data.0.id' },
      },
      change('servers/{server}/interfaces/{card}', { fixed_ips: [{ ip_address: '10.20.3.3' }] }, card, {
        'fixed_ips.0.ip_address': '10.20.3.3',
      }),
      {
        ...{ send: `GET ${compute}/servers/{server}`, status: 200, shape: server },
        equals: { 'networks.0.ips': ['10.20.3.3'] },
      },
      ...act('resize', { flavor: 's1.nano' }, readServer('SHUTOFF', ['RESIZE'])),
      ...act('start', {}, readServer('ACTIVE', ['SHUTOFF'])),
      ...act('shelve', {}, readServer('SHELVED_OFFLOADED', ['ACTIVE', 'SHELVED'])),
      ...act('unshelve', {}, readServer('ACTIVE', ['SHELVED_OFFLOADED', 'SHELVED'])),
      {
        ...{ send: `POST ${compute}/servers/{server}/cancel-stop`, body: {}, status: 409, shape: problem },
      },
    ],
  },
  {
    command: 'server reset-state',
    as: 'operator',
    exchanges: [
      ...act('reset', { state: 'ERROR' }, readServer('ERROR', ['ACTIVE'])),
      ...act('reset', { state: 'ACTIVE' }, readServer('ACTIVE', ['ERROR'])),
      { send: `GET ${compute}/servers?host=nowhere`, status: 200, shape: { data: [server] } },
    ],
  },
]
