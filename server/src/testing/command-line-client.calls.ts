import type { Exchange, Shape } from './command-line-client'

/** A command of the client, and who gives it. */
export interface Command {
  command: string
  /** `operator`: the first administrator, without a project. `member`: in a project of another domain. */
  as: 'operator' | 'member'
  exchanges: readonly Exchange[]
}

const v2 = '/api/v2'
const compute = `${v2}/compute`

const subnet: Shape = {
  ...{ id: 's', network_id: 's', ip_version: 'n', cidr: 's', enable_dhcp: 'b', gateway_ip: 's?' },
  ...{ dns_nameservers: ['s'], allocation_pools: [{ start: 's', end: 's' }] },
}
const network: Shape = {
  ...{ id: 's', name: 's', type: 's', subnets: [subnet], physical_network: 's?', vlan_id: 'n?', mtu: 'n' },
  ...{ rbac_policies: ['o'], default_vnic_type: 's' },
}
const card: Shape = {
  ...{ id: 's', port_id: 's', network_id: 's', network_name: 's', mac_addr: 's', spoofing_protection: 'b' },
  fixed_ips: [{ ip_address: 's', subnet_id: 's' }],
}
const server: Shape = {
  ...{ id: 's', name: 's', status: 's', task_state: 's?', flavor: 'o', volumes: [{ id: 's' }], ha_enabled: 'b' },
  ...{ networks: [{ id: 's', name: 's', ips: ['s'] }], metadata: 'o', tags: ['s'], project_id: 's' },
}
const volume: Shape = {
  ...{ id: 's', name: 's', size: 'n', status: 's', storage_policy_name: 's', bootable: 'b', attachments: ['o'] },
}
const event: Shape = {
  ...{ id: 's', action: 's', username: 's', start_time: 's', status: 's', project_id: 's', server_id: 's' },
  ...{ user_id: 's', request_id: 's' },
}
const image: Shape = {
  ...{ id: 's', name: 's', status: 's', disk_format: 's', min_disk: 'n', min_ram: 'n', visibility: 's', tags: ['s'] },
  ...{ size: 'n?', protected: 'b', os_distro: 's' },
}
const flavor: Shape = { id: 's', name: 's', vcpus: 'n', ram: 'n', swap: 'n' }
const node: Shape = { id: 's', host: 's', state: 's', traits: ['s'] }
const placement: Shape = { id: 's', name: 's', nodes: ['s'], images: ['s'], flavors: ['s'] }
const project: Shape = { id: 's', name: 's' }
const problem: Shape = { error: { message: 's' } }
const task: Shape = {
  ...{ task_id: 's', state: 's', progress: 'n', name: 's', args: ['o'], kwargs: 'o', error: 's?' },
}
const limit: Shape = { limit: 'n', used: 'n' }
const quotas: Shape = {
  compute: { cores: limit, ram: limit },
  storage: { storage_policies: { default: limit }, volumes_backups: limit },
  network: { floatingip: limit, ipsec_site_connection: limit },
  ...{ k8saas: { cluster: limit }, lbaas: { loadbalancer: limit }, placement: 'o' },
}

const readServer = (status: string, waits: string[]): Exchange => ({
  ...{ send: `GET ${compute}/servers/{server}`, status: 200, shape: server },
  until: { field: 'status', is: status, waits },
})
const readVolume = (name: string, status: string, waits: string[]): Exchange => ({
  ...{ send: `GET ${compute}/volumes/{${name}}`, status: 200, shape: volume },
  until: { field: 'status', is: status, waits },
})
const act = (name: string, body: unknown = {}, after?: Exchange): Exchange[] => [
  { send: `POST ${compute}/servers/{server}/${name}`, body, status: 202, shape: server },
  ...(after ? [after] : []),
]
const change = (what: string, body: unknown, shape: Shape, equals: Record<string, unknown> = {}): Exchange => ({
  ...{ send: `PATCH ${compute}/${what}`, body, status: 200, shape, equals },
})
const GiB = 1024 ** 3

/** The least that is taken for a disk: a boot mark. */
function bootable(): Uint8Array {
  const octets = new Uint8Array(64 * 1024)
  octets.set([0x55, 0xaa], 510)
  return octets
}

/**
 * What the client sends for each of its commands on what is built, in an order in which one stands on the other. Its
 * sizes are GiB, often as texts.
 */
export const commands: readonly Command[] = [
  {
    command: 'project list',
    as: 'member',
    exchanges: [
      { send: `GET ${v2}/accounts/projects`, status: 200, shape: { data: [project] } },
      { send: `GET ${compute}/projects`, status: 200, shape: project, pages: true },
      { send: `GET ${compute}/projects`, status: 200, find: { name: 'alpha-one', keep: 'by_name' } },
    ],
  },
  {
    command: 'version, cluster, and who one is',
    as: 'operator',
    exchanges: [
      {
        ...{ send: `GET ${v2}/about`, status: 200, shape: { 'storage-release': { version: 's' } } },
        equals: { 'storage-release.version': '7.1.0' },
      },
      { send: `GET ${v2}/version`, status: 200, shape: { version: 's' }, equals: { version: '7.1.0' } },
      { send: `GET ${v2}/accounts/whoami`, status: 200, shape: { id: 's', name: 's', domain_id: 's' } },
      {
        ...{ send: `GET ${compute}/cluster`, status: 200, equals: { status: 'active' } },
        shape: { status: 's', options: { backup: 'o', notification_forwarding: { transport_url: 's?' } } },
      },
      { send: `GET ${compute}/cluster/stat`, status: 200, shape: { servers: 'o', vcpus: 'o', ram: 'o' } },
    ],
  },
  {
    command: 'node list, node show',
    as: 'operator',
    exchanges: [
      {
        send: `GET ${compute}/nodes/`,
        status: 200,
        shape: { data: [node] },
        keep: { node: 'data.0.id', host: 'data.0.host' },
      },
      {
        send: `GET ${compute}/nodes?params=${encodeURIComponent('{"with_stats": true}')}`,
        status: 200,
        shape: { data: [node] },
      },
      {
        send: `GET ${compute}/nodes/{node}?params=${encodeURIComponent('{"with_stats":true}')}`,
        status: 200,
        shape: node,
      },
      { send: `GET ${compute}/nodes/{host}`, status: 200, shape: node, equals: { id: '{node}' } },
      {
        send: `GET ${compute}/nodes/?name={host}`,
        status: 200,
        shape: { data: [node] },
        equals: { 'data.0.id': '{node}' },
      },
    ],
  },
  {
    command: 'network list, show; subnet list, show',
    as: 'member',
    exchanges: [
      { send: `GET ${compute}/networks`, status: 200, shape: network, pages: true },
      { send: `GET ${compute}/networks`, status: 200, find: { name: 'Default network', keep: 'network' } },
      { send: `GET ${compute}/networks`, status: 200, find: { name: '{network}', keep: 'network' } },
      {
        ...{ send: `GET ${compute}/networks/{network}`, status: 200, shape: network },
        keep: { subnet: 'subnets.0.id' },
      },
      { send: `GET ${compute}/subnets?network_id={network}`, status: 200, shape: subnet, pages: true },
      { send: `GET ${compute}/subnets/{subnet}`, status: 200, shape: subnet, equals: { network_id: '{network}' } },
      { send: `GET ${compute}/networks/?type=flat&sort=name:asc`, status: 200, shape: { data: [network] } },
    ],
  },
  {
    command: 'flavor create, list, show',
    as: 'operator',
    exchanges: [
      {
        ...{ send: `POST ${compute}/flavors`, body: { name: 'client', vcpus: '1', ram: '256', swap: '0' } },
        ...{ status: 201, shape: flavor, keep: { flavor: 'id' }, equals: { ram: 256 } },
      },
      { send: `GET ${compute}/flavors?limit=3`, status: 200, shape: flavor, pages: true },
      { send: `GET ${compute}/flavors`, status: 200, find: { name: 'client', keep: 'flavor' } },
    ],
  },
  {
    command: 'keypair create, list, show',
    as: 'member',
    exchanges: [
      {
        ...{ send: `POST ${compute}/keys`, status: 201, shape: { name: 's' }, keep: { key: 'id' } },
        body: {
          name: 'laptop',
          public_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f me',
        },
      },
      { send: `GET ${compute}/keys`, status: 200, shape: { id: 's', name: 's' }, pages: true },
      { send: `GET ${compute}/keys/laptop`, status: 200, shape: { id: 's', name: 's' } },
    ],
  },
  {
    command: 'image create --wait',
    as: 'operator',
    exchanges: [
      {
        send: `POST ${compute}/images`,
        headers: {
          'x-hci-image-name': Buffer.from('disk of the client').toString('base64'),
          'x-hci-image-tags': Buffer.from('["a"]').toString('base64'),
          'x-hci-image-disk-format': 'raw',
          'x-hci-image-visibility': 'public',
          'x-hci-image-protected': 'False',
        },
        octets: bootable(),
        ...{ status: 202, shape: { ...image, task_id: 's' }, keep: { image: 'id', task: 'task_id' } },
      },
      {
        ...{ send: `GET ${v2}/tasks/{task}`, status: 200, shape: task, equals: { task_id: '{task}' } },
        until: { field: 'state', is: 'success', waits: ['running', 'scheduled', 'cancelling', 'paused', 'starting'] },
      },
      {
        send: `GET ${v2}/tasks/{task}`,
        status: 200,
        shape: { result: { id: 's' } },
        equals: { 'result.id': '{image}' },
      },
    ],
  },
  {
    command: 'image list, show, set, save',
    as: 'operator',
    exchanges: [
      { send: `GET ${compute}/images`, status: 200, shape: image, pages: true },
      { send: `GET ${compute}/images`, status: 200, find: { name: 'disk of the client', keep: 'image' } },
      change('images/{image}', { visibility: 'shared' }, image, { visibility: 'private' }),
      change('images/{image}', { visibility: 'public', min_disk: '1', protected: 'false' }, image, { min_disk: 1 }),
      { send: `GET ${compute}/images/{image}/file`, status: 200, isOctets: true },
    ],
  },
  {
    command: 'volume create, set, extend, list',
    as: 'member',
    exchanges: [
      {
        ...{ send: `POST ${compute}/volumes`, status: 202, shape: volume, keep: { volume: 'id' } },
        ...{ body: { name: 'data', size: 1, storage_policy_name: 'default' }, equals: { size: GiB } },
      },
      readVolume('volume', 'available', ['creating']),
      change(
        'volumes/{volume}',
        { name: 'data-2', description: 'kept', no_placements: false, storage_policy_name: 'default' },
        volume,
        { name: 'data-2' },
      ),
      {
        ...{ send: `POST ${compute}/volumes/{volume}/extend`, body: { size: '2' }, status: 202, shape: volume },
        equals: { size: 2 * GiB },
      },
      readVolume('volume', 'available', ['extending']),
      { send: `GET ${compute}/volumes?limit=1`, status: 200, shape: volume, pages: true },
      { send: `GET ${compute}/volumes`, status: 200, find: { name: 'data-2', keep: 'volume' } },
      {
        ...{ send: `GET ${compute}/volumes?size=2&volume_type=default&storage_policy_id=default`, status: 400 },
        shape: problem,
      },
      {
        ...{ send: `GET ${compute}/volumes?size=2&volume_type=default`, status: 200, shape: { data: [volume] } },
        equals: { 'data.0.id': '{volume}' },
      },
      {
        ...{ send: `GET ${compute}/volumes?size=${2 * GiB}&storage_policy_id=default`, status: 200 },
        ...{ shape: { data: [volume] }, equals: { 'data.0.id': '{volume}' } },
      },
      { send: `GET ${compute}/volumes?size=600000`, status: 400, shape: problem },
    ],
  },
  {
    command: 'volume list of operators says where each is kept',
    as: 'operator',
    exchanges: [
      {
        ...{ send: `GET ${compute}/volumes`, status: 200, pages: true },
        shape: { ...volume, 'os-vol-host-attr:host': 's' },
      },
    ],
  },
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
      {
        ...{ send: `PATCH ${compute}/servers/{server}/interfaces/{card}`, body: { spoofing_protection: false } },
        ...{ status: 422, shape: problem },
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
        keep: { event: 'data.0.id' },
      },
      {
        ...{ send: `GET ${compute}/servers/{server}/events/{event}`, status: 200, shape: event },
        equals: { id: '{event}', server_id: '{server}' },
      },
      { send: `GET ${compute}/servers/{server}/events/999999999`, status: 404, shape: problem },
      { send: `GET ${compute}/servers/{server}/log`, status: 200, isOctets: true },
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
  {
    command: 'server-group create, list, show, delete',
    as: 'member',
    exchanges: [
      {
        ...{ send: `POST ${compute}/server-groups`, body: { name: 'apart', policy: 'soft-anti-affinity' } },
        ...{ status: 201, shape: { id: 's', name: 's', policy: 's', members: ['s'] }, keep: { group: 'id' } },
      },
      { send: `GET ${compute}/server-groups`, status: 200, shape: { id: 's', name: 's' }, pages: true },
      { send: `GET ${compute}/server-groups`, status: 200, find: { name: 'apart', keep: 'group' } },
      { send: `DELETE ${compute}/server-groups/{group}`, status: 204 },
    ],
  },
  {
    command: 'placement create, assign, show, delete-assignment, delete',
    as: 'operator',
    exchanges: [
      {
        ...{ send: `POST ${compute}/traits`, body: { name: 'gold', nodes: [], images: [], flavors: ['{flavor}'] } },
        ...{ status: 201, shape: placement, keep: { placement: 'id' }, equals: { flavors: ['{flavor}'] } },
      },
      {
        ...{ send: `POST ${compute}/traits`, body: { name: 'lead', nodes: [], images: ['{flavor}'], flavors: [] } },
        ...{ status: 400, shape: problem },
      },
      { send: `GET ${compute}/traits/?name=lead`, status: 200, shape: { data: ['o'] }, equals: { data: [] } },
      {
        ...{ send: `PUT ${compute}/traits/{placement}/images`, body: { images: ['{image}'] }, status: 200 },
        ...{ shape: placement, equals: { images: ['{image}'] } },
      },
      { send: `PUT ${compute}/traits/{placement}/nodes`, body: { nodes: ['{node}'] }, status: 200, shape: placement },
      { send: `GET ${compute}/traits`, status: 200, shape: placement, pages: true },
      { send: `GET ${compute}/traits`, status: 200, find: { name: 'gold', keep: 'placement' } },
      ...['images/{image}', 'nodes/{node}', 'flavors/{flavor}'].map((carrier): Exchange => ({
        ...{ send: `DELETE ${compute}/traits/{placement}/${carrier}`, status: 200, shape: placement },
      })),
      { send: `DELETE ${compute}/traits/{placement}`, status: 204 },
    ],
  },
  {
    command: 'quotas show --usage',
    as: 'member',
    exchanges: [
      { send: `GET ${v2}/domains/{project}`, status: 404, shape: problem },
      ...[`params=${encodeURIComponent('{"usage": true}')}`, 'usage=True', ''].map((query): Exchange => ({
        ...{ send: `GET ${compute}/quotas/{project}?${query}`, status: 200, shape: quotas },
        equals: { 'storage.storage_policies.default.used': 4 * GiB, 'compute.ram.limit': 64 * GiB },
      })),
      { send: `GET ${compute}/quotas/{project}?params=usage`, status: 400, shape: problem },
    ],
  },
  {
    command: 'task list, show',
    as: 'member',
    exchanges: [
      { send: `GET ${v2}/tasks?limit=5`, status: 200, shape: { id: 's', ...task }, pages: true },
      { send: `GET ${v2}/tasks/00000000-0000-4000-8000-000000000000`, status: 404, shape: problem },
    ],
  },
  {
    command: 'server delete --wait, volume, keypair delete',
    as: 'member',
    exchanges: [
      { send: `DELETE ${compute}/servers/{server}`, status: 202, shape: server },
      { send: `GET ${compute}/servers/{server}`, status: 404, shape: problem, isGoing: true },
      { send: `DELETE ${compute}/volumes/{volume}`, status: 202, shape: volume },
      { send: `GET ${compute}/volumes/{volume}`, status: 404, shape: problem, isGoing: true },
      { send: `DELETE ${compute}/keys/{key}`, status: 204 },
    ],
  },
  {
    command: 'image, flavor delete',
    as: 'operator',
    exchanges: [
      { send: `DELETE ${compute}/images/{image}`, status: 204 },
      { send: `DELETE ${compute}/flavors/{flavor}`, status: 204 },
    ],
  },
]
