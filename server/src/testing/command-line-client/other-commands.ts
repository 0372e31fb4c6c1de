import type { Exchange } from './client'
import { type Command, v2, compute, server, volume, placement, problem, task, quotas, GiB } from './shapes'

/** Server groups, placements, quotas and tasks; finally deletes everything. */
export const otherCommands: readonly Command[] = [
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
      { send: `GET ${v2}/domains/{project}`, status: 403, shape: problem },
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
