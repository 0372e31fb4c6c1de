import * as z from 'zod'
import { create, endpoints, read, remove, update } from '../core/endpoint'
import { kind } from '../core/kind'
import { Description, Id, ResourceName, Tag, Time } from '../core/names'
import { page, PageQuery } from '../core/paging'
import { StorageSize } from '../storage/volumes'
import {
  instanceStatuses,
  instanceTaskStates,
  MAX_INSTANCES_PER_CREATE,
  MAX_SHUTDOWN_SECONDS,
  MAX_USER_DATA_BASE64,
} from './instance-rules'

/** The flavor as it was when the instance was made; flavors may be deleted meanwhile. RAM in MiB. */
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
  /** 0 boots first; null never boots. */
  boot_index: z.number().int().nullable(),
  device: z.string().nullable(),
})

export const FixedIp = z.object({ subnet_id: z.string(), ip_address: z.string() })

/** A network card of an instance: S2§3's `network_data`. */
export const InstanceInterface = z.object({
  port_id: z.string(),
  network_id: z.string(),
  network_name: z.string(),
  mac_addr: z.string(),
  fixed_ips: z.array(FixedIp),
})
export type InstanceInterface = z.infer<typeof InstanceInterface>

/** Why an instance is in error. */
export const InstanceFault = z.object({ code: z.string(), message: z.string(), created: Time })

/** Figures of the last minute: shares of 0–100, bytes. Null where nothing is known. */
export const InstanceStatistics = z.object({
  cpu_usage: z.number().nullable(),
  mem_usage: z.number().nullable(),
  block_capacity: z.number().nullable(),
  block_usage: z.number().nullable(),
})

/** An instance (S2§3 "Server"); screens say "virtual machine". */
export const Instance = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  status: z.enum(instanceStatuses),
  task_state: z.enum(instanceTaskStates).nullable(),
  host_status: z.enum(['UP', 'DOWN', 'MAINTENANCE', 'UNKNOWN']),
  /** Only a system scope is told (I9). */
  host: z.string().nullable().optional(),
  flavor: InstanceFlavor,
  volumes: z.array(InstanceVolume),
  networks: z.array(z.object({ id: z.string(), name: z.string() })),
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
  traits: z.array(z.string()),
  max_vcpu: z.number().int().nullable(),
  max_mem: z.number().int().nullable(),
  allow_live_resize: z.boolean(),
  allow_set_password: z.boolean(),
  has_pci_devices: z.boolean(),
  statistics: z.object({ metrics: InstanceStatistics }),
  project_id: z.string(),
  domain_id: z.string(),
  user_id: z.string(),
  created: Time,
  updated: Time,
})
export type Instance = z.infer<typeof Instance>

/** A disk that a new instance gets. `source: image|blank` makes a volume; `volume` attaches one that is there. */
export const InstanceVolumeDraft = z.discriminatedUnion('source', [
  z.strictObject({
    source: z.literal('image'),
    id: Id,
    size: StorageSize,
    boot_index: z.number().int().min(0).nullable().default(0),
    rm: z.boolean().default(true),
  }),
  z.strictObject({
    source: z.literal('blank'),
    size: StorageSize,
    boot_index: z.number().int().min(0).nullable().default(null),
    rm: z.boolean().default(true),
  }),
  z.strictObject({
    source: z.literal('volume'),
    id: Id,
    boot_index: z.number().int().min(0).nullable().default(null),
    rm: z.boolean().default(false),
  }),
  /** An ISO image as a CD-ROM; nothing is copied. */
  z.strictObject({ source: z.literal('iso'), id: Id, boot_index: z.number().int().min(0).nullable().default(0) }),
])
export type InstanceVolumeDraft = z.infer<typeof InstanceVolumeDraft>

export const MacAddress = z
  .string()
  .regex(/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i, 'Use six pairs of hexadecimal digits, such as 52:54:00:12:34:56')
  .refine(
    (mac) => (Number.parseInt(mac.slice(0, 2), 16) & 1) === 0,
    'This is a multicast address; use one whose first pair is even',
  )
  .transform((mac) => mac.toLowerCase())

export const InstanceNetworkDraft = z.strictObject({
  id: Id,
  /** Addresses inside the network's subnets; the engine chooses when left out. */
  fixed_ips: z
    .array(z.strictObject({ ip_address: z.union([z.ipv4('Enter an IP address'), z.ipv6('Enter an IP address')]) }))
    .max(5)
    .default([]),
  mac: MacAddress.nullable().default(null),
})

export const InstanceDraft = z
  .strictObject({
    name: ResourceName,
    description: Description.default(''),
    /** Above 1 the names get -1, -2 ... */
    count: z
      .number()
      .int()
      .min(1, 'Use at least 1')
      .max(MAX_INSTANCES_PER_CREATE, `Use at most ${MAX_INSTANCES_PER_CREATE}`)
      .default(1),
    flavor: Id,
    volumes: z.array(InstanceVolumeDraft).min(1, 'Choose what to boot from').max(16, 'Use at most 16 volumes'),
    /** Empty: no network. */
    networks: z.array(InstanceNetworkDraft).max(8, 'Use at most 8 networks'),
    key_name: z.string().max(255).nullable().default(null),
    /** Base64 of a script (`#!`) or cloud-config (`#cloud-config`). Write-only. */
    user_data: z
      .string()
      .max(MAX_USER_DATA_BASE64, 'The script is too long')
      .regex(/^[A-Za-z0-9+/\s]*={0,2}$/, 'Send base64')
      .nullable()
      .default(null),
    metadata: z.record(z.string().min(1).max(255), z.string().max(255)).default({}),
    tags: z.array(Tag).max(50).default([]),
    ha_enabled: z.boolean().default(true),
  })
  .superRefine((draft, context) => {
    const bootFirst = draft.volumes.filter((volume) => volume.boot_index === 0)
    if (bootFirst.length !== 1)
      context.addIssue({ code: 'custom', path: ['volumes'], message: 'Exactly one volume boots first' })
    const attached = draft.volumes.filter((volume) => volume.source === 'volume')
    if (draft.count > 1 && attached.length > 0) {
      context.addIssue({
        code: 'custom',
        path: ['count'],
        message: 'An existing volume can be attached to one instance only',
      })
    }
    if (draft.count > 1 && draft.networks.some((network) => network.mac || network.fixed_ips.length > 0)) {
      context.addIssue({ code: 'custom', path: ['count'], message: 'Several instances cannot share an address' })
    }
  })
export type InstanceDraft = z.infer<typeof InstanceDraft>

export const InstanceChange = z
  .strictObject({ name: ResourceName, description: Description, ha_enabled: z.boolean() })
  .partial()
export type InstanceChange = z.infer<typeof InstanceChange>

/** The single-use right to look at a screen (product notes, 01 §7). */
export const ConsoleTicket = z.object({
  protocol: z.literal('vnc'),
  path: z.string(),
  token: z.string(),
  expires_at: Time,
})
export type ConsoleTicket = z.infer<typeof ConsoleTicket>

/** What was done to an instance, newest first. */
export const InstanceEvent = z.object({
  id: z.string(),
  action: z.string(),
  user_name: z.string().nullable(),
  request_id: z.string().nullable(),
  started_at: Time,
  finished_at: Time.nullable(),
  result: z.enum(['success', 'error', 'running']),
  message: z.string().nullable(),
})
export type InstanceEvent = z.infer<typeof InstanceEvent>

/** Counters since the instance was started; the console draws rates from two of them. */
export const InstanceStat = z.object({
  at: Time,
  cpu_usage: z.number().nullable(),
  mem_usage: z.number().nullable(),
  block_capacity: z.number().nullable(),
  block_usage: z.number().nullable(),
  disks: z.array(
    z.object({
      id: z.string(),
      read_bytes: z.number(),
      write_bytes: z.number(),
      read_ops: z.number(),
      write_ops: z.number(),
    }),
  ),
  nics: z.array(z.object({ id: z.string(), rx_bytes: z.number(), tx_bytes: z.number() })),
})
export type InstanceStat = z.infer<typeof InstanceStat>

export const instanceKind = kind({
  name: 'server',
  entity: Instance,
  visibility: 'project',
  status: 'status',
  filters: {
    id: { path: 'id', type: 'id' },
    name: { path: 'name', type: 'text' },
    status: { path: 'status', type: 'id' },
    task_state: { path: 'task_state', type: 'id' },
    tags: { path: 'tags', type: 'tags' },
    ip: { path: 'derived.ip_addresses', type: 'tags' },
    network_id: { path: 'derived.network_ids', type: 'tags' },
    image_id: { path: 'image_id', type: 'id' },
    os_distro: { path: 'os_distro', type: 'id' },
    key_name: { path: 'key_name', type: 'id' },
    ha_enabled: { path: 'ha_enabled', type: 'boolean' },
    vcpus: { path: 'flavor.vcpus', type: 'number' },
    ram: { path: 'flavor.ram', type: 'number' },
    host: { path: 'host', type: 'id' },
    project_id: { path: 'project_id', type: 'id' },
    domain_id: { path: 'domain_id', type: 'id' },
  },
  sortKeys: {
    name: { path: 'name', type: 'text' },
    status: { path: 'status', type: 'text' },
    host: { path: 'host', type: 'text' },
    project_id: { path: 'project_id', type: 'id' },
    task_state: { path: 'task_state', type: 'text' },
    vcpus: { path: 'flavor.vcpus', type: 'number' },
    ram: { path: 'flavor.ram', type: 'number' },
    cpu_usage: { path: 'statistics.metrics.cpu_usage', type: 'number' },
    mem_usage: { path: 'statistics.metrics.mem_usage', type: 'number' },
    block_capacity: { path: 'statistics.metrics.block_capacity', type: 'number' },
    block_usage: { path: 'statistics.metrics.block_usage', type: 'number' },
    created_at: { path: 'created', type: 'time' },
    updated_at: { path: 'updated', type: 'time' },
  },
  search: ['name', 'id', 'description', 'derived.addresses'],
  derive: ({ network_data, networks }) => {
    const addresses = network_data.flatMap((card) => card.fixed_ips.map((ip) => ip.ip_address))
    return {
      ip_addresses: addresses,
      addresses: addresses.join(' '),
      network_ids: networks.map((network) => network.id),
    }
  },
  systemOnly: ['host'],
  permissions: { collection: 'compute_servers', item: 'compute_server' },
})

const base = '/api/v2/compute/servers'
const one = `${base}/:id` as const
const action = <const Name extends string, Body extends z.ZodType>(name: Name, summary: string, body: Body) =>
  ({
    verb: 'POST',
    path: `${one}/${name}`,
    needs: update('compute_server'),
    summary,
    body,
    status: 202,
    reply: Instance,
  }) as const

/** Bodies of actions carry an `event` (S1§7); it is kept with the task. */
const Event = z.string().max(255).optional()
const Plain = z.strictObject({ event: Event }).default({})

export const instances = endpoints({
  list: {
    verb: 'GET',
    path: base,
    needs: read('compute_servers'),
    summary: 'List instances',
    query: PageQuery,
    reply: page(Instance),
  },
  create: {
    verb: 'POST',
    path: base,
    needs: create('compute_servers'),
    summary: 'Create instances',
    body: InstanceDraft,
    status: 202,
    /** The first instance; `created_ids` holds the ids of all that this call made. */
    reply: Instance.extend({ created_ids: z.array(z.string()) }),
  },
  view: { verb: 'GET', path: one, needs: read('compute_server'), summary: 'Read an instance', reply: Instance },
  update: {
    verb: 'PATCH',
    path: one,
    needs: update('compute_server'),
    summary: 'Rename or describe an instance',
    body: InstanceChange,
    reply: Instance,
  },
  delete: {
    verb: 'DELETE',
    path: one,
    needs: remove('compute_server'),
    summary: 'Delete an instance, with the volumes flagged so',
    /** `delete_volumes`: ids to delete as well; left out: those flagged delete_on_termination. */
    query: z.strictObject({ delete_volumes: z.string().max(2048).optional() }),
    status: 202,
    reply: Instance,
  },
  start: action('start', 'Power on', Plain),
  stop: action(
    'stop',
    'Shut down by ACPI, or cut the power',
    z
      .strictObject({
        event: Event,
        hard: z.boolean().default(false),
        timeout: z.number().int().min(-1).max(MAX_SHUTDOWN_SECONDS).optional(),
      })
      .default({ hard: false }),
  ),
  cancelStop: action('cancel-stop', 'Stop waiting for a guest to shut down', Plain),
  reboot: action(
    'reboot',
    'Reboot by ACPI, or reset',
    z.strictObject({ event: Event, hard: z.boolean().default(false) }).default({ hard: false }),
  ),
  suspend: action('suspend', 'Write memory to disk and stop', Plain),
  resume: action('resume', 'Go on from a suspended state', Plain),
  pause: action('pause', 'Halt the processors', Plain),
  unpause: action('unpause', 'Let the processors run again', Plain),
  resize: action('resize', 'Change the flavor', z.strictObject({ event: Event, flavor: Id })),
  reset: {
    ...action(
      'reset',
      'Set the status anew from what the hypervisor says',
      z.strictObject({ event: Event, state: z.enum(['active', 'error']).optional() }).default({}),
    ),
    needs: create('compute_server_reset_state'),
  },
  console: {
    verb: 'GET',
    path: `${one}/console`,
    needs: read('compute_server_console'),
    summary: 'A single-use ticket for the screen',
    reply: ConsoleTicket,
  },
  log: {
    verb: 'GET',
    path: `${one}/log`,
    needs: read('compute_server_log'),
    summary: 'The end of the console log, as text',
    bytes: 'out',
    reply: z.void(),
  },
  events: {
    verb: 'GET',
    path: `${one}/events`,
    needs: read('compute_server'),
    summary: 'What was done to the instance',
    query: PageQuery,
    reply: page(InstanceEvent),
  },
  stat: {
    verb: 'GET',
    path: `${one}/stat`,
    needs: read('compute_server'),
    summary: 'Figures of the instance now',
    reply: InstanceStat,
  },
  interfaces: {
    verb: 'GET',
    path: `${one}/interfaces`,
    needs: read('compute_server'),
    summary: 'Network cards',
    reply: z.object({ data: z.array(InstanceInterface) }),
  },
  attachInterface: {
    verb: 'POST',
    path: `${one}/interfaces`,
    needs: update('compute_server'),
    summary: 'Add a network card',
    body: InstanceNetworkDraft,
    status: 202,
    reply: Instance,
  },
  detachInterface: {
    verb: 'DELETE',
    path: `${one}/interfaces/:port_id`,
    needs: update('compute_server'),
    summary: 'Remove a network card',
    status: 202,
    reply: Instance,
  },
  volumes: {
    verb: 'GET',
    path: `${one}/volumes`,
    needs: read('compute_server'),
    summary: 'Volumes of an instance',
    reply: z.object({ data: z.array(InstanceVolume) }),
  },
  attachVolume: {
    verb: 'POST',
    path: `${one}/volumes`,
    needs: update('compute_server'),
    summary: 'Attach a volume',
    body: z.strictObject({ event: Event, volume_id: Id, delete_on_termination: z.boolean().default(false) }),
    status: 202,
    reply: Instance,
  },
  detachVolume: {
    verb: 'DELETE',
    path: `${one}/volumes/:volume_id`,
    needs: update('compute_server'),
    summary: 'Detach a volume',
    status: 202,
    reply: Instance,
  },
  setTag: {
    verb: 'PUT',
    path: `${one}/tags/:tag`,
    needs: update('compute_server'),
    summary: 'Set a tag',
    reply: Instance,
  },
  removeTag: {
    verb: 'DELETE',
    path: `${one}/tags/:tag`,
    needs: update('compute_server'),
    summary: 'Remove a tag',
    reply: Instance,
  },
})
