import { instanceStatuses, instanceTaskStates } from '@mainstay/contract/compute/instance-rules'
import { networksOf, type Instance } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import type { WireImage, WirePort, WireServer, WireVolume } from './wire'
import { requiredTraits } from '../traits'
import { isIntentTag } from './intent-tag'

/** Objects related to servers, by ID. The rows are built from them. */
export interface Relations {
  /** By server ID. */
  ports: ReadonlyMap<string, readonly WirePort[]>
  networkNames: ReadonlyMap<string, string>
  volumes: ReadonlyMap<string, WireVolume>
  images: ReadonlyMap<string, WireImage>
  /** Flavor IDs by `flavorKey`. */
  flavorIds: ReadonlyMap<string, string>
  /** Device names (`vdb`) by `deviceKey`, as reported by the server. */
  devices: ReadonlyMap<string, string>
}

/**
 * Returns the key of a flavor. The key includes the sizes, because a flavor may have been replaced by another one with
 * the same name.
 */
export const flavorKey = ({ name, vcpus, ram }: { name: string; vcpus: number; ram: number }): string =>
  `${vcpus} ${ram} ${name}`
/** Returns the key of the flavor that the server reports. */
export const ownFlavorKey = ({ flavor }: Pick<WireServer, 'flavor'>): string =>
  flavorKey({ ...flavor, name: flavor.original_name })
export const deviceKey = (serverId: string, volumeId: string): string => `${serverId} ${volumeId}`
/** Removes the folder from a device path: `/dev/vda` → `vda`. */
export const deviceName = (device: string | null | undefined): string | null => device?.replace(/^\/dev\//, '') || null

/** Whether a server is deleted. Soft-deleted servers are hidden too. */
export const isGone = ({ status }: Pick<WireServer, 'status'>): boolean =>
  status === 'DELETED' || status === 'SOFT_DELETED'

const known = <Text extends string>(all: readonly Text[], text: string | null | undefined): Text | undefined =>
  all.find((one) => one === text)

/** Builds the row for a server. */
export function instanceOf(server: WireServer, around: Relations, domainId: string): Instance {
  const { flavor } = server
  const volumes = volumesOf(server, around)
  const cards = (around.ports.get(server.id) ?? []).map((port) => cardOf(port, around))
  const image = imageOf(server, volumes, around)
  return {
    id: server.id,
    name: server.name || server.id,
    description: server.description ?? '',
    status: known(instanceStatuses, server.status) ?? 'UNKNOWN',
    task_state: known(instanceTaskStates, server['OS-EXT-STS:task_state']) ?? null,
    host_status: hostStatusOf(server),
    host: server['OS-EXT-SRV-ATTR:host'] || null,
    flavor: {
      id: around.flavorIds.get(ownFlavorKey(server)) ?? null,
      original_name: flavor.original_name,
      vcpus: flavor.vcpus,
      ram: flavor.ram,
      extra_specs: flavor.extra_specs,
    },
    volumes,
    networks: networksOf(cards),
    network_data: cards,
    image_id: image?.id ?? null,
    image_name: image?.name ?? null,
    os_distro: textOf(image?.['os_distro']),
    key_name: server.key_name ?? null,
    username: textOf(image?.['os_admin_user']),
    fault: server.status === 'ERROR' && server.fault ? faultOf(server.fault) : null,
    // Nova has no high-availability setting, and Masakari is not queried
    ha_enabled: false,
    metadata: server.metadata,
    tags: server.tags.filter((tag) => !isIntentTag(tag)),
    traits: requiredTraits({ ...flavor.extra_specs, ...image }),
    // in Nova, a flavor changes only through a resize, which restarts the guest
    max_vcpu: null,
    max_mem: null,
    allow_live_resize: false,
    allow_set_password: textOf(image?.['hw_qemu_guest_agent']) === 'yes',
    has_pci_devices: hasPciDevices(server, around),
    // metrics require a call to the server's node for each server; `stat` returns them for a single one
    statistics: {
      metrics: {
        cpu_usage: null,
        mem_usage: null,
        block_capacity: volumes.length > 0 ? volumes.reduce((sum, { size }) => sum + size, 0) : null,
        block_usage: null,
      },
    },
    project_id: server.tenant_id,
    domain_id: domainId,
    user_id: server.user_id,
    created: server.created,
    updated: server.updated ?? server.created,
  }
}

/** Returns the host status of a server. A server without a node has no host status and counts as UP. */
function hostStatusOf({ host_status }: WireServer): Instance['host_status'] {
  if (!host_status) return 'UP'
  return known(['UP', 'DOWN', 'MAINTENANCE'] as const, host_status) ?? 'UNKNOWN'
}

function volumesOf(server: WireServer, { volumes, devices }: Relations): Instance['volumes'] {
  const root = deviceName(server['OS-EXT-SRV-ATTR:root_device_name'])
  const rows = server['os-extended-volumes:volumes_attached'].map(({ id, delete_on_termination }, at) => {
    const volume = volumes.get(id)
    const attachment = volume?.attachments.find((it) => it.server_id === server.id)
    const device = devices.get(deviceKey(server.id, id)) ?? deviceName(attachment?.device)
    // until the devices are known, the first volume of a server without an image is its boot volume
    const isRoot = device === null ? !server.image && at === 0 : device === root
    return {
      id,
      name: volume?.name || id,
      size: (volume?.size ?? 0) * GiB,
      delete_on_termination,
      boot_index: isRoot ? 0 : null,
      device,
    }
  })
  return rows.toSorted((one, other) => placeOf(one) - placeOf(other) || (placeName(one) < placeName(other) ? -1 : 1))
}
const placeOf = ({ boot_index, device }: Instance['volumes'][number]) =>
  boot_index === 0 ? -1 : (device?.length ?? Number.MAX_SAFE_INTEGER)
const placeName = ({ device, id }: Instance['volumes'][number]) => device ?? id

const cardOf = (port: WirePort, { networkNames }: Relations): Instance['network_data'][number] => ({
  id: port.id,
  port_id: port.id,
  network_id: port.network_id,
  network_name: networkNames.get(port.network_id) || port.network_id,
  mac_addr: port.mac_address,
  fixed_ips: port.fixed_ips,
  spoofing_protection: port.port_security_enabled ?? true,
})

/** Returns the image of the server, or the image whose properties were copied to its boot volume. */
function imageOf(server: WireServer, volumes: Instance['volumes'], around: Relations): WireImage | null {
  if (server.image && typeof server.image === 'object')
    return around.images.get(server.image.id) ?? { id: server.image.id }
  const boot = volumes.find((volume) => volume.boot_index === 0)
  const kept = boot && around.volumes.get(boot.id)?.volume_image_metadata
  const id = textOf(kept?.['image_id'])
  return kept && id ? { ...kept, id, name: textOf(kept['image_name']) } : null
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

function hasPciDevices({ id, flavor }: WireServer, { ports }: Relations): boolean {
  const ofPort = (ports.get(id) ?? []).some((port) =>
    /^direct|^accelerator-direct/.test(port['binding:vnic_type'] ?? ''),
  )
  return ofPort || 'pci_passthrough:alias' in flavor.extra_specs
}

function faultOf({ message, created }: NonNullable<WireServer['fault']>): NonNullable<Instance['fault']> {
  const code = /no valid host/i.test(message) ? 'no_valid_host' : /quota/i.test(message) ? 'quota_exceeded' : 'unknown'
  return { code, message, created }
}
