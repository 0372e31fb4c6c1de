import * as z from 'zod'
import { DeletionLock } from '../core/deletion-locks'
import { kind } from '../core/kind'
import { Time } from '../core/names'
import { instanceStatuses, countsTowardsQuota, instanceTaskStates } from './instance-statuses'

/** Snapshot of the flavor at creation, since the flavor may be deleted later. RAM in MiB. */
export const InstanceFlavor = z.object({
  id: z.string().nullable(),
  original_name: z.string(),
  vcpus: z.number().int(),
  ram: z.number().int(),
  extra_specs: z.record(z.string(), z.string()),
})

/** A disk of an instance. `size` in bytes. */
export const InstanceVolume = z.object({
  id: z.string(),
  name: z.string(),
  size: z.number().int(),
  delete_on_termination: z.boolean(),
  /** Position in the boot order, where 0 boots first; null: not a boot device. */
  boot_index: z.number().int().nullable(),
  device: z.string().nullable(),
})

export const FixedIp = z.object({ subnet_id: z.string(), ip_address: z.string() })

/** A network interface of an instance: `network_data` in S2§3. */
export const InstanceInterface = z.object({
  id: z.string(),
  port_id: z.string().describe('Same as `id`.'),
  network_id: z.string(),
  network_name: z.string(),
  mac_addr: z.string(),
  fixed_ips: z.array(FixedIp),
  /** Whether the interface may send packets only from its own addresses. */
  spoofing_protection: z.boolean(),
  /** IDs of security groups; omitted if unknown. */
  security_groups: z.array(z.string()).optional(),
})
export type InstanceInterface = z.infer<typeof InstanceInterface>

/**
 * Returns the distinct networks of the interfaces, in interface order, each with all the interfaces' addresses in it.
 */
export const networksOf = (cards: readonly InstanceInterface[]): { id: string; name: string; ips: string[] }[] =>
  [...new Set(cards.map(({ network_id }) => network_id))].map((id) => {
    const here = cards.filter(({ network_id }) => network_id === id)
    const ips = here.flatMap(({ fixed_ips }) => fixed_ips.map(({ ip_address }) => ip_address))
    return { id, name: here[0]!.network_name, ips }
  })

/** Why an instance is in the error state. */
export const InstanceFault = z.object({ code: z.string(), message: z.string(), created: Time })

/** Metrics for the last minute: percentages (0–100) and bytes. Null if unknown. */
export const InstanceStatistics = z.object({
  cpu_usage: z.number().nullable(),
  mem_usage: z.number().nullable(),
  block_capacity: z.number().nullable(),
  block_usage: z.number().nullable(),
})

/** An instance (S2§3 "Server"), shown in the console as a virtual machine. */
export const Instance = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  status: z.enum(instanceStatuses),
  task_state: z.enum(instanceTaskStates).nullable(),
  host_status: z.enum(['UP', 'DOWN', 'MAINTENANCE', 'UNKNOWN']),
  /** Returned only to system scopes (I9). */
  host: z.string().nullable().optional(),
  flavor: InstanceFlavor,
  volumes: z.array(InstanceVolume),
  networks: z.array(z.object({ id: z.string(), name: z.string(), ips: z.array(z.string()) })),
  network_data: z.array(InstanceInterface),
  image_id: z.string().nullable(),
  image_name: z.string().nullable(),
  os_distro: z.string().nullable(),
  key_name: z.string().nullable(),
  username: z.string().nullable(),
  fault: InstanceFault.nullable(),
  ha_enabled: z.boolean(),
  metadata: z.record(z.string(), z.string()),
  tags: z.array(z.string()),
  /** IDs of placements. */
  traits: z.array(z.string()),
  /** Maximum that can be set without a restart; null if the instance has no headroom. */
  max_vcpu: z.number().int().nullable(),
  /** In MiB. */
  max_mem: z.number().int().nullable(),
  allow_live_resize: z.boolean(),
  allow_set_password: z.boolean(),
  has_pci_devices: z.boolean(),
  /** Omitted if the instance is not locked. */
  deletion_lock: DeletionLock.optional(),
  statistics: z.object({ metrics: InstanceStatistics }),
  project_id: z.string(),
  domain_id: z.string(),
  user_id: z.string(),
  created: Time,
  updated: Time,
})
export type Instance = z.infer<typeof Instance>

export const instanceKind = kind({
  name: 'server',
  entity: Instance,
  visibility: 'project',
  status: 'status',
  filters: [
    'id',
    'name',
    'status',
    'task_state',
    'tags',
    'traits',
    { name: 'ip', path: 'derived.ip_addresses', type: 'tags', addresses: true },
    { name: 'network_id', path: 'derived.network_ids', type: 'tags' },
    'image_id',
    { name: 'os_distro', type: 'id' },
    { name: 'key_name', type: 'id' },
    'ha_enabled',
    { name: 'vcpus', path: 'flavor.vcpus' },
    { name: 'ram', path: 'flavor.ram' },
    { name: 'host', type: 'id' },
    'project_id',
    'domain_id',
  ],
  sortKeys: [
    'name',
    'status',
    'host',
    'project_id',
    'task_state',
    { name: 'vcpus', path: 'flavor.vcpus' },
    { name: 'ram', path: 'flavor.ram' },
    { name: 'cpu_usage', path: 'statistics.metrics.cpu_usage' },
    { name: 'mem_usage', path: 'statistics.metrics.mem_usage' },
    { name: 'block_capacity', path: 'statistics.metrics.block_capacity' },
    { name: 'block_usage', path: 'statistics.metrics.block_usage' },
    { name: 'created_at', path: 'created' },
    { name: 'updated_at', path: 'updated' },
  ],
  search: ['name', 'id', 'description', 'derived.addresses'],
  derive: {
    version: 1,
    from: ({ network_data, networks, flavor, ...state }) => {
      const addresses = network_data.flatMap((card) => card.fixed_ips.map((ip) => ip.ip_address))
      return {
        ip_addresses: addresses,
        addresses: addresses.join(' '),
        network_ids: networks.map((network) => network.id),
        taken: countsTowardsQuota(state) ? { vcpus: flavor.vcpus, ram: flavor.ram } : { vcpus: 0, ram: 0 },
      }
    },
  },
  sums: ['derived.taken.vcpus', 'derived.taken.ram'],
  systemOnly: ['host'],
  permissions: { collection: 'compute_servers', item: 'compute_server' },
})
