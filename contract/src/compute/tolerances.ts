import {
  alsoNamed,
  booleans,
  each,
  ignored,
  isFalse,
  jsonParams,
  lowerCase,
  numbers,
  objects,
  renamed,
  sizes,
  values,
  words,
  type CallTolerances,
  type Rewrite,
} from '../core/tolerance'
import { computeCluster } from './compute-cluster'
import { flavors } from './flavors'
import { images } from './images'
import { instances } from './instances'
import { computeNodes } from './nodes'
import { placementCarriers, placements } from './placements'

/** Makes a single volume without a boot index the boot volume. */
const soleVolumeBoots: Rewrite = (draft) => {
  const list = draft['volumes']
  if (!Array.isArray(list) || list.length !== 1) return draft
  const sole: unknown = list[0]
  if (typeof sole !== 'object' || sole === null || Object.hasOwn(sole, 'boot_index')) return draft
  return { ...draft, volumes: [{ ...sole, boot_index: 0 }] }
}

/** Ignores volume settings of a CD-ROM, because a CD-ROM is an image in a drive and has no volume. */
const discs: Rewrite = (volume) =>
  volume['device_type'] === 'cdrom' && volume['source'] === 'image'
    ? ignored(['device_type', 'size', 'rm', 'storage_policy_name'])({ ...volume, source: 'iso' })
    : volume

const volumeOfInstance: readonly Rewrite[] = [
  renamed({ source_type: 'source', uuid: 'id', volume_size: 'size', delete_on_termination: 'rm' }),
  discs,
  // the hypervisor chooses the best bus
  ignored(['disk_bus']),
  ignored(['device_type'], (type) => type === 'disk'),
  numbers('boot_index'),
  values(['boot_index'], (place) => (place === -1 ? null : place)),
  booleans('rm'),
  sizes('size'),
]

const networkOfInstance: readonly Rewrite[] = [
  renamed({ network_id: 'id', mac_addr: 'mac' }),
  objects('fixed_ips', 'ip_address'),
  booleans('spoofing_protection'),
]

/** Some clients send IDs as numbers. */
const numericIds = values(['node_id'], (id) => (typeof id === 'number' ? String(id) : id))

const visibility = { shared: 'private' }
export const computeTolerances: CallTolerances = [
  [instances.list, { query: [renamed({ ip_address: 'ip' })] }],
  [
    instances.create,
    {
      body: [
        numbers('count'),
        booleans('ha_enabled', 'allow_live_resize'),
        // keys and scripts reach the guest with or without a config drive, and the image determines the firmware
        ignored(['config_drive']),
        ignored(['uefi'], isFalse),
        each('networks', ...networkOfInstance),
        each('volumes', ...volumeOfInstance),
        soleVolumeBoots,
      ],
    },
  ],
  [instances.update, { body: [booleans('ha_enabled', 'allow_live_resize')] }],
  [instances.stop, { body: [booleans('hard'), numbers('timeout')] }],
  [instances.reboot, { body: [booleans('hard')] }],
  [instances.reset, { body: [lowerCase('state')] }],
  [instances.attachInterface, { body: networkOfInstance }],
  [instances.updateInterface, { body: [objects('fixed_ips', 'ip_address'), booleans('spoofing_protection')] }],
  [
    instances.attachVolume,
    { body: [renamed({ uuid: 'volume_id', id: 'volume_id' }), booleans('delete_on_termination')] },
  ],
  ...[instances.events, instances.event].map(
    (call) =>
      [call, { answer: [alsoNamed({ user_name: 'username', started_at: 'start_time', result: 'status' })] }] as const,
  ),
  [images.create, { headers: [words('x-hci-image-visibility', visibility)] }],
  [
    images.update,
    {
      body: [
        words('visibility', visibility),
        booleans('protected', 'allow_set_password'),
        numbers('min_disk', 'min_ram'),
      ],
    },
  ],
  [flavors.create, { body: [numbers('vcpus', 'ram', 'swap')] }],
  [placements.create, { body: [booleans('isolated')] }],
  [placements.assign, { body: placementCarriers.map((carrier) => renamed({ [carrier]: 'ids' })) }],
  [computeNodes.list, { query: [jsonParams, renamed({ name: 'host' })] }],
  [computeNodes.view, { query: [jsonParams] }],
  [computeNodes.join, { body: [ignored(['force']), each('nodes', ignored(['hypervisor_type']), numericIds)] }],
  // a release cannot be forced, so `force: true` is refused and `force: false` is ignored
  [
    computeNodes.release,
    {
      body: [
        booleans('force'),
        ignored(['force'], isFalse),
        each('nodes', ignored(['hypervisor_type', 'roles']), numericIds),
      ],
    },
  ],
  [computeCluster.create, { body: [ignored(['force'])] }],
  [computeCluster.update, { body: [ignored(['force'])] }],
]
