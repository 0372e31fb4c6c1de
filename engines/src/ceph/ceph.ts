import type { OccupiedTier } from '@mainstay/contract/infrastructure/locations'
import { openLocalLink } from '../hosts/local-link'
import type { NodeLink } from '../hosts/node-link'
import { cephCommands, type CephPlace } from './commands'
import { CrushTree, type CrushNode } from './crush-tree'
import { ConfigKeys, CrushRules, OsdDump, OsdSpace, OsdTree } from './shapes'
import { KiB, occupiedOf, tiersOf, type CephTier } from './tiers'

/**
 * An attached Ceph cluster. All methods throw a `Problem` with advice if the cluster does not respond or refuses the
 * command.
 */
export interface Ceph {
  /** Returns the tiers with their space. The answer is up to 5 s old. */
  tiers(): Promise<CephTier[]>
  /** Counts the disks, hosts and locations that hold data of each tier. */
  occupied(): Promise<Omit<OccupiedTier, 'store'>[]>
  /** Reads the CRUSH map. */
  tree(): Promise<CrushTree>
  /** Reads the used space of each OSD in bytes. */
  usedSpace(): Promise<ReadonlyMap<number, number>>
  /** Creates an empty bucket in another one. */
  addBucket(bucket: BucketName, parent: BucketName): Promise<void>
  /** Moves a bucket with everything in it. Data is moved as a result. */
  moveBucket(name: string, parent: BucketName): Promise<void>
  /** Removes an empty bucket. Throws a `CephRefusal` with the reason `not_empty`. */
  removeBucket(name: string): Promise<void>
  close(): Promise<void>
}

/** A bucket in the CRUSH map. */
export type BucketName = Pick<CrushNode, 'name' | 'type'>

const placeIn = ({ type, name }: BucketName): string => `${type}=${name}`

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
  const { read, change, close } = cephCommands(place, open)
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
    tree,
    async usedSpace() {
      const { nodes } = await read(OsdSpace, ['osd', 'df'])
      return new Map(nodes.map(({ id, kb_used: used }) => [id, used * KiB]))
    },
    addBucket: ({ name, type }, parent) => change(['osd', 'crush', 'add-bucket', name, type, placeIn(parent)]),
    moveBucket: (name, parent) => change(['osd', 'crush', 'move', name, placeIn(parent)]),
    removeBucket: (name) => change(['osd', 'crush', 'rm', name]),
    close,
  }
}
