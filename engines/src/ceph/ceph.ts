import type { OccupiedTier } from '@mainstay/contract/infrastructure/locations'
import { openLocalLink } from '../hosts/local-link'
import type { NodeLink } from '../hosts/node-link'
import { cephCommands, type CephPlace } from './commands'
import { CrushTree } from './crush-tree'
import { ConfigKeys, CrushRules, OsdDump, OsdSpace, OsdTree } from './shapes'
import { occupiedOf, tiersOf, type CephTier } from './tiers'

/**
 * An attached Ceph cluster. All methods throw a `Problem` with advice if the cluster does not respond or refuses the
 * command.
 */
export interface Ceph {
  /** Returns the tiers with their space. The answer is up to 5 s old. */
  tiers(): Promise<CephTier[]>
  /** Counts the disks, hosts and locations that hold data of each tier. */
  occupied(): Promise<Omit<OccupiedTier, 'store'>[]>
  close(): Promise<void>
}

/** How long the tiers are cached, because every open console polls them. */
const KEPT_MS = 5_000

/** Returns a function that repeats its last successful answer for a while. Calls at the same time share one answer. */
function cachedFor<Value>(ms: number, ask: () => Promise<Value>): () => Promise<Value> {
  let last: { until: number; value: Promise<Value> } | null = null
  return () => {
    if (last && last.until > performance.now()) return last.value
    const value = ask()
    last = { until: performance.now() + ms, value }
    value.catch(() => (last = null))
    return value
  }
}

/** Attaches a Ceph cluster. Its commands run on this host, or on the host of another link. */
export function openCeph(place: CephPlace, open: () => Promise<NodeLink> = openLocalLink): Ceph {
  const { read, close } = cephCommands(place, open)
  const tree = async () => new CrushTree(await read(OsdTree, ['osd', 'tree']))

  return {
    tiers: cachedFor(KEPT_MS, async () => {
      const [map, space, rules, dump, keys] = await Promise.all([
        tree(),
        read(OsdSpace, ['osd', 'df']),
        read(CrushRules, ['osd', 'crush', 'rule', 'dump']),
        read(OsdDump, ['osd', 'dump']),
        read(ConfigKeys, ['config-key', 'ls']),
      ])
      return tiersOf({ tree: map, space, rules, dump, keys })
    }),
    occupied: async () => occupiedOf(await tree()),
    close,
  }
}
