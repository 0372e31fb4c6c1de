import { type Command, v2, v3, compute, subnet, network, flavor, node, project } from './shapes'

const installed = { id: 's', host: 's', is_primary: 'b', is_online: 'b', is_assigned: 'b', is_in_ha: 'b' } as const
const storagePolicy = { id: 's', name: 's', tier: 'n?', redundancy: 'o?', failure_domain: 'n?', qos: 'o' } as const

/** Projects, the cluster, nodes, networks, flavors and keys. */
export const catalogueCommands: readonly Command[] = [
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
    command: 'version, cluster, and the current user',
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
    command: 'node list, node show for the whole installation',
    as: 'operator',
    exchanges: [
      {
        ...{ send: `GET ${v2}/nodes`, status: 200, equals: { 'data.0.id': '{node}', 'data.0.host': '{host}' } },
        shape: { data: [installed] },
      },
      { send: `GET ${v2}/nodes/{node}`, status: 200, shape: installed, equals: { id: '{node}', is_online: true } },
    ],
  },
  {
    command: 'storage-policy list, show',
    as: 'member',
    exchanges: [
      {
        ...{
          send: `GET ${v3}/storage_policies`,
          status: 200,
          keep: { policy: 'data.0.id', policy_name: 'data.0.name' },
        },
        ...{ shape: { data: [storagePolicy] }, equals: { 'data.0.redundancy': null } },
      },
      {
        ...{ send: `GET ${v3}/storage_policies/{policy}`, status: 200, shape: storagePolicy },
        equals: { redundancy: null, name: '{policy_name}' },
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
]
