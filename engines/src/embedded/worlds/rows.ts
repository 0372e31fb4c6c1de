import { osDistros } from '@mainstay/contract/compute/image-rules'
import type { Flavor } from '@mainstay/contract/compute/flavors'
import type { Image } from '@mainstay/contract/compute/images'
import type { InstanceStatus } from '@mainstay/contract/compute/instance-rules'
import { networksOf, type Instance, type InstanceInterface } from '@mainstay/contract/compute/instances'
import { GiB, MiB } from '@mainstay/contract/core/bytes'
import type { Volume } from '@mainstay/contract/storage/volumes'
import type { MachineState } from '../hypervisor'

export interface Owner {
  project_id: string
  domain_id: string
  user_id: string
}

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

export function imageRow(
  owner: Owner,
  given: Pick<Image, 'id' | 'name' | 'os_distro'> & Partial<Image> & { ageMinutes?: number },
): Image {
  const { ageMinutes = 60 * 24 * 30, ...own } = given
  return {
    description: '',
    status: 'active',
    progress: null,
    fault: null,
    size: MiB,
    virtual_size: MiB,
    checksum: null,
    os_hash_algo: null,
    os_hash_value: null,
    disk_format: 'qcow2',
    container_format: 'bare',
    type: 'template',
    os_type: osDistros.find(({ id }) => id === own.os_distro)?.os ?? 'linux',
    tags: [],
    traits: [],
    min_disk: 1,
    min_ram: 0,
    visibility: 'private',
    protected: false,
    restricted: false,
    hw_firmware_type: 'bios',
    hw_tpm_version: null,
    os_secure_boot: false,
    allow_set_password: false,
    username: null,
    project_id: owner.project_id,
    domain_id: owner.domain_id,
    created_at: ago(ageMinutes),
    updated_at: ago(ageMinutes),
    ...own,
  }
}

export interface InstanceGiven {
  id: string
  name: string
  status: InstanceStatus
  flavor: Flavor
  image: Pick<Image, 'id' | 'name' | 'os_distro' | 'username'> | null
  cards: InstanceInterface[]
  ageMinutes: number
  more?: Partial<Instance>
}

export function instanceRow(owner: Owner, volumes: Volume[], given: InstanceGiven): Instance {
  const { id, name, status, flavor, image, cards, ageMinutes, more } = given
  return {
    id,
    name,
    description: '',
    status,
    task_state: null,
    host_status: 'UP',
    host: 'simulated-1',
    flavor: { id: flavor.id, original_name: flavor.name, vcpus: flavor.vcpus, ram: flavor.ram, extra_specs: {} },
    volumes: volumes.map((volume, at) => ({
      id: volume.id,
      name: volume.name,
      size: volume.size,
      delete_on_termination: at === 0,
      boot_index: at === 0 ? 0 : null,
      device: deviceAt(at),
    })),
    networks: networksOf(cards),
    network_data: cards,
    image_id: image?.id ?? null,
    image_name: image?.name ?? null,
    os_distro: image?.os_distro ?? null,
    key_name: null,
    username: image?.username ?? null,
    fault: null,
    ha_enabled: true,
    metadata: {},
    tags: [],
    traits: [],
    max_vcpu: null,
    max_mem: null,
    allow_live_resize: false,
    allow_set_password: false,
    has_pci_devices: false,
    statistics: { metrics: { cpu_usage: null, mem_usage: null, block_capacity: null, block_usage: null } },
    ...owner,
    created: ago(ageMinutes),
    updated: ago(Math.floor(ageMinutes / 3)),
    ...more,
  }
}

export const deviceAt = (at: number) => `vd${String.fromCharCode(97 + at)}`

export function volumeRow(
  owner: Owner,
  given: { id: string; name: string; sizeGib: number; image?: Pick<Image, 'id' | 'name'> | null; ageMinutes: number },
  attachedTo: { id: string; name: string; at: number } | null,
  more: Partial<Volume> = {},
): Volume {
  const { id, name, sizeGib, image = null, ageMinutes } = given
  const created = ago(ageMinutes)
  return {
    id,
    name,
    description: '',
    status: attachedTo ? 'in-use' : 'available',
    progress: null,
    fault: null,
    size: sizeGib * GiB,
    bootable: image !== null,
    attachments: attachedTo
      ? [
          {
            server_id: attachedTo.id,
            server_name: attachedTo.name,
            device: deviceAt(attachedTo.at),
            attached_at: created,
          },
        ]
      : [],
    storage_policy_name: 'default',
    image_id: image?.id ?? null,
    image_name: image?.name ?? null,
    ...owner,
    created_at: created,
    updated_at: created,
    ...more,
  }
}

/** Returns the machine state that matches an instance status. */
export const machineStateOf = (status: InstanceStatus): MachineState => {
  if (status === 'ACTIVE') return 'running'
  if (status === 'PAUSED') return 'paused'
  return status === 'SUSPENDED' ? 'saved' : 'off'
}
