import type { Disk } from '@mainstay/contract/infrastructure/disks'
import { interfaceStatus, type NodeInterface } from '@mainstay/contract/infrastructure/interfaces'
import type {
  HostDisk,
  HostFacts,
  HostInterface,
  HostService,
  UnreadFact,
} from '@mainstay/contract/infrastructure/node-facts'
import type { Statement } from '@mainstay/contract/infrastructure/node-rules'
import type { Node } from '@mainstay/contract/infrastructure/nodes'
import { namedId } from '@mainstay/engines/ports/named-id'
import { statement } from '../statement'

/**
 * Maximum number of disks, interfaces and services that are stored for one host, and maximum length of its texts in
 * characters.
 */
const MOST = 500
const MOST_CHARACTERS = 300
const MOST_ADDRESSES = 32

/** Fields of a node that are read from its host. */
export type ObservedNode = Pick<
  Node,
  | 'ip_addrs'
  | 'ram'
  | 'cpu'
  | 'os'
  | 'kernel'
  | 'booted_at'
  | 'clock_offset_ms'
  | 'clock_synchronized'
  | 'restart_pending'
  | 'missing_programs'
  | 'advice'
>

/** An interface as it was read from the host. `neighbor` is omitted if it could not be read. */
export type ObservedInterface = Omit<HostInterface, 'neighbor'> & Partial<Pick<HostInterface, 'neighbor'>>

/** The results of a reading, converted to fields of rows. */
export interface Observed {
  hostname: string
  machine_id: string
  /** Omits the fields that could not be read. */
  node: Partial<ObservedNode>
  rights: HostFacts['rights']
  /** Services of the host itself; the services of the engines are added when the row is written. */
  services: HostService[] | null
  /** Null if the disks could not be read; their rows then stay as they are. The same applies to the other lists. */
  disks: HostDisk[] | null
  interfaces: ObservedInterface[] | null
}

const isOwnAddress = (address: string): boolean =>
  !address.startsWith('127.') && !address.startsWith('fe80:') && address !== '::1'

/** Converts facts to fields of rows. `user`: account of the platform on the host. */
export function observedOf(given: HostFacts, user: string): Observed {
  const facts = bounded(given)
  const { hostname, machine_id, rights, services, interfaces, unread } = facts
  const { os, kernel, booted_at, clock_offset_ms, clock_synchronized, restart_pending, missing_programs } = facts
  const read = <Value>(fact: UnreadFact, value: Value): Value | null => (unread.includes(fact) ? null : value)
  return {
    ...{ hostname, machine_id, rights },
    node: {
      ...{ kernel, missing_programs, advice: adviceFor(facts, user) },
      ...read('clock_offset_ms', { clock_offset_ms }),
      ...read('clock_synchronized', { clock_synchronized }),
      ...read('os', { os }),
      ...read('booted_at', { booted_at }),
      ...read('cpu', { cpu: facts.cpu }),
      ...read('memory', { ram: facts.memory }),
      ...read('restart_pending', { restart_pending }),
      ...read('interfaces', { ip_addrs: addressesOf(interfaces) }),
    },
    services: read('services', services),
    disks: read('disks', withUniqueKeys(facts.disks)),
    interfaces: read(
      'interfaces',
      interfaces.map(({ neighbor, ...given }) => ({ ...given, ...read('neighbors', { neighbor }) })),
    ),
  }
}

/** Truncates long texts and lists, and removes control characters, because a host may report anything. */
function bounded<Value>(value: Value): Value {
  if (typeof value === 'string') return value.slice(0, MOST_CHARACTERS).replaceAll(/\p{Cc}/gu, ' ') as Value
  if (Array.isArray(value)) return value.slice(0, MOST).map((one: unknown) => bounded(one)) as Value
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, bounded(one as unknown)])) as Value
}

function addressesOf(interfaces: readonly HostInterface[]): string[] {
  const addresses = interfaces
    .flatMap(({ ipv4, ipv6 }) => [...ipv4, ...ipv6])
    .map((address) => address.split('/')[0]!)
    .filter(isOwnAddress)
  return [...new Set(addresses)].slice(0, MOST_ADDRESSES)
}

/**
 * Makes the keys of disks unique. Disks on cheap controllers may report the same serial number, so the device name is
 * added.
 */
function withUniqueKeys(disks: readonly HostDisk[]): HostDisk[] {
  const seen = new Set<string>()
  return disks.map((disk) => {
    const key = seen.has(disk.key) ? `${disk.key} ${disk.device}` : disk.key
    seen.add(key)
    return { ...disk, key }
  })
}

function adviceFor({ hostname: host, rights, missing_programs }: HostFacts, user: string): Statement[] {
  const programs = missing_programs.map((program) => {
    if (program === 'smartctl') return statement('infrastructure.host_program_smartctl', { host })
    if (program === 'lldpctl') return statement('infrastructure.host_program_lldpctl', { host })
    return statement('infrastructure.host_program_missing', { host, program })
  })
  return rights === 'none' ? [statement('infrastructure.host_root_missing', { host, user }), ...programs] : programs
}

export const spacesOf = (disks: readonly Disk[]): Node['spaces'] => ({
  total: disks.reduce((sum, { physical_size }) => sum + physical_size, 0),
  used: disks.reduce((sum, { space }) => sum + (space.used ?? 0), 0),
  disks: disks.length,
  failed_disks: disks.filter(({ smart_status }) => smart_status === 'failed').length,
})

export const diskId = (nodeId: string, key: string): string => namedId(`disk ${nodeId} ${key}`)
export const interfaceId = (nodeId: string, name: string): string => namedId(`interface ${nodeId} ${name}`)

const noService = { tier: null, journal_type: null, journal_disk_id: null, journal_tier: null }

/**
 * Builds the row of a disk. Its use is kept, and so is the last SMART result until a new one is read. All other fields
 * are read from the host.
 */
export function diskRow(nodeId: string, disk: HostDisk, kept: Disk | undefined): Disk {
  const { key, device, type, model, serial_number, size, used, is_system, holders } = disk
  const isSmartRead = disk.smart_status !== null
  const smart_status = disk.smart_status ?? kept?.smart_status ?? 'unknown'
  const isFailed = smart_status === 'failed'
  const role = kept?.role ?? 'none'
  return {
    id: diskId(nodeId, key),
    node_id: nodeId,
    device,
    role: is_system && role === 'none' ? 'system' : !is_system && role === 'system' ? 'none' : role,
    type,
    space: { used, size },
    physical_size: size,
    model,
    serial_number,
    lun_id: kept?.lun_id ?? null,
    service_id: kept?.service_id ?? null,
    service_status: kept?.service_status ?? null,
    service_params: kept?.service_params ?? noService,
    smart_status,
    disk_status: isFailed ? 'failed' : kept?.disk_status === 'releasing' ? 'releasing' : 'ok',
    temperature: isSmartRead ? disk.temperature : (kept?.temperature ?? null),
    zoned: disk.zoned,
    nvme: type === 'nvme',
    friezed: kept?.friezed ?? false,
    holders,
    issues: isFailed ? ['smart_failed'] : [],
  }
}

/** Builds the row of a network interface. The previous neighbor is kept until a new one is read. */
export const interfaceRow = (
  nodeId: string,
  given: ObservedInterface,
  kept: NodeInterface | undefined,
): NodeInterface => ({
  neighbor: kept?.neighbor ?? null,
  ...given,
  id: interfaceId(nodeId, given.name),
  node_id: nodeId,
  status: interfaceStatus(given),
  roles_set: kept?.roles_set ?? null,
})
