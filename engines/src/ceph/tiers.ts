import { failureDomains, type FailureDomain } from '@mainstay/contract/infrastructure/location-rules'
import type { OccupiedTier } from '@mainstay/contract/infrastructure/locations'
import type { StorageTier } from '@mainstay/contract/infrastructure/tiers'
import { domainOfType, type CrushNode, type CrushTree } from './crush-tree'
import type { CrushRules, OsdDump, OsdSpace } from './shapes'

/** Unit of sizes in replies of Ceph. */
export const KiB = 1024

/** What is known about a tier of the cluster. */
export type CephTier = Pick<
  StorageTier,
  'tier' | 'device_classes' | 'used' | 'free' | 'copies' | 'failure_domain' | 'encrypted'
>

/** Everything that the tiers are computed from. */
interface TierSources {
  tree: CrushTree
  space: OsdSpace
  rules: CrushRules
  dump: OsdDump
  keys: readonly string[]
}

/** Tier of each device class that Ceph assigns itself. All others are in tier 3. */
const tierOfType: Readonly<Record<string, number>> = { nvme: 0, ssd: 1, hdd: 2 }
const OTHER_TIER = 3

/** Returns the tier of a device class. The classes `tier0` to `tier3` let administrators choose it. */
export const tierOfClass = (name: string | undefined): number => {
  const [, chosen] = /^tier([0-3])$/.exec(name ?? '') ?? []
  return chosen === undefined ? (tierOfType[name ?? ''] ?? OTHER_TIER) : Number(chosen)
}

/** Returns the OSDs of each tier that hold data: those that are not out. */
function osdsByTier(tree: CrushTree): Map<number, CrushNode[]> {
  const found = new Map<number, CrushNode[]>()
  for (const osd of tree.nodes) {
    if (osd.type !== 'osd' || osd.reweight === 0) continue
    const tier = tierOfClass(osd.device_class)
    const others = found.get(tier)
    if (others) others.push(osd)
    else found.set(tier, [osd])
  }
  return new Map([...found].toSorted(([one], [two]) => one - two))
}

/** Protection of the data in a pool: how many disks hold each piece of data, and across which level they are spread. */
interface Protection {
  copies: number
  domain: FailureDomain
}

/** Returns the protection of each pool, with the tiers on which its rule stores data. */
function poolsOf({ tree, rules, dump }: TierSources): (Protection & { tiers: ReadonlySet<number> })[] {
  return dump.pools.map(({ size, crush_rule, erasure_code_profile }) => {
    const steps = rules.find(({ rule_id }) => rule_id === crush_rule)?.steps ?? []
    const tiers = new Set<number>()
    for (const { item_name: name } of steps.filter(({ op }) => op === 'take')) {
      const [bucket = '', only] = (name ?? '').split('~')
      const taken = tree.named(bucket)
      for (const { device_class } of taken ? tree.osdsIn(taken) : [])
        if (only === undefined || device_class === only) tiers.add(tierOfClass(device_class))
    }
    // with several choices, the last one decides how far apart the copies are at least
    const chosen = steps.findLast(({ op }) => op.startsWith('choose'))
    const lost = Number(dump.erasure_code_profiles[erasure_code_profile]?.['m'])
    const isErasure = erasure_code_profile !== '' && Number.isInteger(lost)
    return { tiers, copies: isErasure ? lost + 1 : size, domain: domainOfType(chosen?.type ?? 'osd') }
  })
}

/** Returns the least protection among pools; null without pools. */
function weakest(pools: readonly Protection[]): Protection | null {
  const [first, ...others] = pools
  if (!first) return null
  return {
    copies: Math.min(first.copies, ...others.map(({ copies }) => copies)),
    domain: others.reduce(
      (least, { domain }) => (failureDomains[domain] < failureDomains[least] ? domain : least),
      first.domain,
    ),
  }
}

/** Computes the tiers of a cluster from its OSDs, rules and pools. */
export function tiersOf(sources: TierSources): CephTier[] {
  const { tree, space, dump, keys } = sources
  const spaces = new Map(space.nodes.map((node) => [node.id, node]))
  const uuids = new Map(dump.osds.map(({ osd, uuid }) => [osd, uuid]))
  const known = new Set(keys)
  const pools = poolsOf(sources)
  return [...osdsByTier(tree)].map(([tier, osds]): CephTier => {
    const sum = (part: 'kb_used' | 'kb_avail') =>
      osds.reduce((total, { id }) => total + (spaces.get(id)?.[part] ?? 0), 0) * KiB
    const protection = weakest(pools.filter(({ tiers }) => tiers.has(tier)))
    return {
      tier,
      device_classes: [...new Set(osds.flatMap(({ device_class: name }) => name ?? []))].toSorted(),
      used: sum('kb_used'),
      free: sum('kb_avail'),
      copies: protection?.copies ?? null,
      failure_domain: protection?.domain ?? null,
      encrypted: osds.every(({ id }) => known.has(`dm-crypt/osd/${uuids.get(id)}/luks`)),
    }
  })
}

/** Counts the disks, hosts and locations that hold data of each tier. */
export function occupiedOf(tree: CrushTree): Omit<OccupiedTier, 'store'>[] {
  return [...osdsByTier(tree)].map(([tier, osds]) => {
    const count = (type: string) => new Set(osds.map((osd) => tree.atLeast(osd, type).id)).size
    return {
      ...{ tier, disks: osds.length, hosts: count('host') },
      ...{ racks: count('rack'), rows: count('row'), rooms: count('room') },
    }
  })
}
