import { area, capabilities } from '../core/area'
import { ComputeCapabilities, computeCluster } from './compute-cluster'
import { flavorKind, flavors } from './flavors'
import { imageImports } from './image-imports'
import { imageUploads } from './image-uploads'
import { imageKind, images } from './images'
import { instanceKind, instances } from './instances'
import { computeNodeKind, computeNodes } from './nodes'
import { placementKind, placements } from './placements'
import { quota } from './quotas'
import { serverGroupKind, serverGroups } from './server-groups'
import { sshKeyKind, sshKeys } from './ssh-keys'
import { computeTolerances } from './tolerances'

export const computeArea = area({
  name: 'compute',
  title: 'virtual machines',
  engine: {
    inEveryCloud: true,
    // network interfaces of instances are ports, which belong to the networking area
    needs: ['networking'],
    capabilities: capabilities(ComputeCapabilities, {
      instance_actions: [],
      image_formats: [],
      console_protocols: [],
      instance_ha: false,
      live_resize: false,
      max_vcpus: 0,
      max_ram: 0,
      instance_placements: false,
      placement_details: false,
      image_import: false,
      recycle_bin: false,
      backup_target: false,
      backup_verify: false,
      backup_files: false,
      machine_restore: false,
      many_nodes: false,
    }),
    quotas: {
      instances: quota({ of: 'server', unit: 'things', at: 'compute.instances', words: 'instances' }),
      vcpus: quota({
        of: 'server',
        sum: 'derived.taken.vcpus',
        unit: 'things',
        at: 'compute.cores',
        words: 'vCPUs',
      }),
      ram: quota({ of: 'server', sum: 'derived.taken.ram', unit: 'MiB', at: 'compute.ram', words: 'memory' }),
      images: quota({ of: 'image', unit: 'things', at: 'image.images', words: 'images' }),
      image_storage: quota({
        of: 'image',
        sum: 'size',
        unit: 'bytes',
        at: 'image.image_storage',
        words: 'image storage in bytes',
      }),
    },
  },
  resources: {
    computeCluster: { calls: computeCluster },
    instances: { kind: instanceKind, calls: instances },
    images: { kind: imageKind, calls: images },
    imageUploads: { calls: imageUploads },
    imageImports: { calls: imageImports },
    flavors: { kind: flavorKind, calls: flavors },
    sshKeys: { kind: sshKeyKind, calls: sshKeys },
    serverGroups: { kind: serverGroupKind, calls: serverGroups },
    placements: { kind: placementKind, calls: placements },
    computeNodes: { kind: computeNodeKind, calls: computeNodes },
  },
  tolerances: computeTolerances,
})
