import { GiB } from '../core/bytes'
import type { Disk, DiskRole, DiskServiceParams } from './disks'
import type { DiskUse, JoinConfig, ProposedDisk } from './node-joining'

/*
 * Proposes how to use the disks of a node that joins a storage cluster. All functions are pure, so that forms can check
 * choices with them.
 */

/** Smaller disks are not used for storage. */
const LEAST_SIZE = 8 * GiB

/** Tier by type: the fastest disks are in tier 0 (product notes 08 §C1). */
const tierOf: Record<Disk['type'], number> = { nvme: 0, ssd: 1, hdd: 2, smr: 3, iscsi: 3 }
const isFlash = ({ type }: Pick<Disk, 'type'>): boolean => type === 'nvme' || type === 'ssd'
const isOfSystem = ({ role }: Pick<Disk, 'role'>): boolean => role.endsWith('system')

function whyLeftOut(disk: Disk): ProposedDisk['left_out'] {
  if (isOfSystem(disk)) return 'system'
  if (disk.disk_status === 'failed') return 'failed'
  if (disk.role !== 'none' || disk.holders.length > 0) return 'in_use'
  return disk.space.size < LEAST_SIZE ? 'too_small' : null
}

/** Returns the roles that a disk can have. A disk with the operating system can also hold metadata or data. */
export function availableRoles(disk: Disk): DiskRole[] {
  if (isOfSystem(disk)) return ['system', 'cs-system', 'mds-system']
  if (whyLeftOut(disk) !== null) return ['none']
  return isFlash(disk) ? ['none', 'cs', 'mds', 'journal', 'mds-journal'] : ['none', 'cs', 'mds']
}

const unused: DiskServiceParams = { tier: null, journal_type: null, journal_disk_id: null, journal_tier: null }
/** Returns the given parameters without empty values. */
const withoutGaps = (params: DiskUse['service_params'] = {}): Partial<DiskServiceParams> =>
  Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined))
const storesData = (role: DiskRole): boolean => role === 'cs' || role === 'cs-system'
const storesMetadata = (role: DiskRole): boolean => role.startsWith('mds')
const isCache = (role: DiskRole): boolean => role === 'journal' || role === 'mds-journal'

/**
 * Returns the proposed role of each disk. If there are both flash and rotating disks, the smallest flash disk becomes
 * the cache of the rotating disks.
 */
function rolesFor(disks: readonly Disk[]): ReadonlyMap<string, DiskRole> {
  const usable = disks.filter((disk) => whyLeftOut(disk) === null)
  const flash = usable.filter(isFlash).toSorted((one, two) => one.space.size - two.space.size)
  const rotating = usable.filter((disk) => !isFlash(disk))
  const cache = rotating.length > 0 ? flash[0] : undefined
  const system = disks.find(isOfSystem)
  // metadata is stored on the cache disk, otherwise on the system disk, otherwise on the smallest of several disks
  const metadata = cache ?? system ?? (usable.length > 1 ? [...flash, ...rotating][0] : undefined)
  return new Map(
    disks.map((disk) => {
      if (disk === cache) return [disk.id, 'mds-journal']
      if (disk === metadata) return [disk.id, disk === system ? 'mds-system' : 'mds']
      return [disk.id, usable.includes(disk) ? 'cs' : isOfSystem(disk) ? 'system' : disk.role]
    }),
  )
}

/**
 * Returns the roles that no disk has: every node needs a disk for data, and a new cluster also needs one for metadata.
 */
function issuesOf(disks: readonly ProposedDisk[], isNew: boolean): JoinConfig['issues'] {
  const has = (holds: (role: DiskRole) => boolean) => disks.some(({ role }) => holds(role))
  return [
    ...(has(storesData) ? [] : (['no_cs'] as const)),
    ...(!isNew || has(storesMetadata) ? [] : (['no_mds'] as const)),
  ]
}

/**
 * Proposes roles for the disks of a node. Choices override the proposal for their disks; a missing tier is derived from
 * the disk type, and a rotating disk gets a cache. Set `isNew` for the first node of a cluster.
 */
export function proposeDisks(
  node: { id: string; host: string },
  disks: readonly Disk[],
  { chosen = [], isNew }: { chosen?: readonly DiskUse[] | undefined; isNew: boolean },
): JoinConfig {
  const roles = new Map([...rolesFor(disks), ...chosen.map(({ id, role }) => [id, role] as const)])
  const given = new Map(chosen.map(({ id, service_params }) => [id, service_params]))
  const cache = disks.find(({ id }) => isCache(roles.get(id)!))
  const proposed = disks.map((disk): ProposedDisk => {
    const { id, device, type, model, serial_number, smart_status, holders } = disk
    const role = roles.get(id)!
    const usual: DiskServiceParams = !storesData(role)
      ? unused
      : isFlash(disk)
        ? { ...unused, tier: tierOf[type], journal_type: 'no_cache' }
        : cache
          ? { tier: tierOf[type], journal_type: 'external_cache', journal_disk_id: cache.id, journal_tier: null }
          : { ...unused, tier: tierOf[type], journal_type: 'inner_cache' }
    return {
      ...{ id, device, type, model, serial_number, smart_status, holders, size: disk.space.size, role },
      service_params: storesData(role) ? { ...usual, ...withoutGaps(given.get(id)) } : usual,
      available_roles: availableRoles(disk),
      left_out: whyLeftOut(disk),
    }
  })
  return { node_id: node.id, host: node.host, disks: proposed, issues: issuesOf(proposed, isNew) }
}
