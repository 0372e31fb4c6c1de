import { type Command, v2, compute, volume, image, problem, task, readVolume, change, GiB } from './shapes'

/** The smallest content that is accepted as a disk: a boot signature. */
function bootable(): Uint8Array {
  const bytes = new Uint8Array(64 * 1024)
  bytes.set([0x55, 0xaa], 510)
  return bytes
}

/** Images and volumes. */
export const diskCommands: readonly Command[] = [
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
        bytes: bootable(),
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
      { send: `GET ${compute}/images/{image}/file`, status: 200, isBytes: true },
    ],
  },
  {
    command: 'volume create, set, extend, list',
    as: 'member',
    exchanges: [
      {
        ...{ send: `POST ${compute}/volumes`, status: 202, shape: volume, keep: { volume: 'id' } },
        ...{ body: { name: 'data', size: 1, storage_policy_name: '{policy_name}' }, equals: { size: GiB } },
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
        ...{ send: `GET ${compute}/volumes?size=${2 * GiB}&storage_policy_id={policy}`, status: 200 },
        ...{ shape: { data: [volume] }, equals: { 'data.0.id': '{volume}' } },
      },
      { send: `GET ${compute}/volumes?size=600000`, status: 400, shape: problem },
    ],
  },
  {
    command: 'volume clone --size --storage-policy, delete',
    as: 'member',
    exchanges: [
      {
        ...{ send: `POST ${compute}/volumes/{volume}/clone`, status: 202, shape: volume, keep: { clone: 'id' } },
        ...{ body: { name: 'copy', size: 4, storage_policy_name: '{policy_name}' }, equals: { size: 4 * GiB } },
      },
      readVolume('clone', 'available', ['creating']),
      { send: `DELETE ${compute}/volumes/{clone}?permanent=true`, status: 202, shape: volume },
      { send: `GET ${compute}/volumes/{clone}`, status: 404, shape: problem, isGoing: true },
    ],
  },
  {
    command: 'volume list for operators, with the location of each volume',
    as: 'operator',
    exchanges: [
      {
        ...{ send: `GET ${compute}/volumes`, status: 200, pages: true },
        shape: { ...volume, 'os-vol-host-attr:host': 's' },
      },
    ],
  },
]
