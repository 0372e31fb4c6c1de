import * as z from 'zod'
import { Time } from '../core/names'

/* Facts that a host reports about itself. All of them are observed; operators cannot set them. */

/** CPU of a host. */
export const HostCpu = z.object({
  model: z.string().nullable(),
  sockets: z.number().int(),
  cores: z.number().int(),
  threads: z.number().int(),
  /** Fraction of all threads in use since the previous reading, 0–1; null at the first reading. */
  usage: z.number().nullable(),
  /** Load averages of 1, 5 and 15 minutes. */
  load: z.tuple([z.number(), z.number(), z.number()]),
})

/** Memory and swap of a host, in bytes. */
export const HostMemory = z.object({
  total: z.number().int(),
  available: z.number().int(),
  swap_total: z.number().int(),
  swap_free: z.number().int(),
})

/** A systemd unit, or a process of the platform, that provides a service on a host. */
export const HostService = z.object({
  /** `management`, `compute`, `storage`, `metadata`, or the name of a failed systemd unit. */
  name: z.string(),
  status: z.enum(['running', 'starting', 'stopped', 'failed']),
  /** Why it failed, if known. */
  message: z.string().nullable(),
})
export type HostService = z.infer<typeof HostService>

export const SmartStatus = z.enum(['passed', 'failed', 'unknown'])

export const HostDisk = z.object({
  /** Stable name: the serial number or WWN, otherwise the path. Unique within its host. */
  key: z.string(),
  /** Kernel name, such as `sda`. */
  device: z.string(),
  type: z.enum(['hdd', 'ssd', 'iscsi', 'smr', 'nvme']),
  model: z.string().nullable(),
  serial_number: z.string().nullable(),
  /** In bytes. */
  size: z.number().int(),
  /** Bytes used on the file systems of the disk; null if none is mounted. */
  used: z.number().int().nullable(),
  /** Whether the running system, or the data folder of the platform, is on it. */
  is_system: z.boolean(),
  /** Users of the disk, such as mount points, LVM or RAID. Empty if the disk is unused. */
  holders: z.array(z.string()),
  /** `unknown` if the disk does not report SMART data; null if it was not read since the link was opened. */
  smart_status: SmartStatus.nullable(),
  /** In °C. */
  temperature: z.number().nullable(),
  /** Whether writes must be sequential (SMR). */
  zoned: z.boolean(),
})
export type HostDisk = z.infer<typeof HostDisk>

export const HostInterface = z.object({
  name: z.string(),
  type: z.enum(['ethernet', 'bond', 'vlan', 'bridge', 'infiniband', 'other']),
  mac: z.string().nullable(),
  /** Whether the link is up, and a carrier is present. */
  state: z.enum(['up', 'down', 'no_carrier']),
  mtu: z.number().int(),
  /** In Mbit/s; null if unknown. */
  speed: z.number().nullable(),
  duplex: z.enum(['full', 'half']).nullable(),
  /** Addresses with prefix length. */
  ipv4: z.array(z.string()),
  ipv6: z.array(z.string()),
  gw4: z.string().nullable(),
  gw6: z.string().nullable(),
  /** VLAN tag. */
  tag: z.number().int().nullable(),
  /** Members of a bond, or the parent of a VLAN. */
  ifaces: z.array(z.string()),
  /** Mode of a bond, such as `active-backup`. */
  bond_type: z.string().nullable(),
  /** Switch and port at the other end of the cable, as reported by LLDP. */
  neighbor: z.object({ system: z.string(), port: z.string() }).nullable(),
})
export type HostInterface = z.infer<typeof HostInterface>

/** Bytes that a host has transferred since it was started. Null if they could not be read. */
export const HostTraffic = z.object({
  disk_read: z.number().nullable(),
  disk_written: z.number().nullable(),
  /** Without the traffic of bonds, VLANs and bridges, which is that of their members. */
  received: z.number().nullable(),
  sent: z.number().nullable(),
})
export type HostTraffic = z.infer<typeof HostTraffic>

/** Facts of a host that can be unreadable while other facts are readable. */
export const UnreadFact = z.enum([
  'os',
  'booted_at',
  'cpu',
  'memory',
  'services',
  'disks',
  'interfaces',
  'neighbors',
  'clock_offset_ms',
  'clock_synchronized',
  'restart_pending',
])
export type UnreadFact = z.infer<typeof UnreadFact>

/** All facts from a single reading of a host. */
export const HostFacts = z.object({
  /** `/etc/machine-id`. It identifies the installed system. */
  machine_id: z.string(),
  hostname: z.string(),
  /** Such as `Debian GNU/Linux 12 (bookworm)`. */
  os: z.string(),
  kernel: z.string(),
  booted_at: Time,
  cpu: HostCpu,
  memory: HostMemory,
  /** Failed systemd units, and whether the system as a whole is running. */
  services: z.array(HostService),
  disks: z.array(HostDisk),
  interfaces: z.array(HostInterface),
  traffic: HostTraffic,
  /** Clock of the host minus clock of the server, in milliseconds. */
  clock_offset_ms: z.number(),
  /** Whether the clock is synchronized; null if unknown. */
  clock_synchronized: z.boolean().nullable(),
  /** Whether a restart is pending, such as for a newer kernel. */
  restart_pending: z.boolean(),
  /** `root`; `sudo`: root through sudo without a password; `none`: facts that require root are missing. */
  rights: z.enum(['root', 'sudo', 'none']),
  /** Programs that are not installed although they would provide more facts: `smartctl`, `lldpctl`. */
  missing_programs: z.array(z.string()),
  /** Facts that could not be read this time. Their values are meaningless. */
  unread: z.array(UnreadFact),
})
export type HostFacts = z.infer<typeof HostFacts>
