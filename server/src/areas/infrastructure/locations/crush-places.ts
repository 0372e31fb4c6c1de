import { problem } from '@mainstay/contract/core/problems'
import { parentOf } from '@mainstay/contract/infrastructure/location-rules'
import { locationKind, type Location } from '@mainstay/contract/infrastructure/locations'
import type { Node } from '@mainstay/contract/infrastructure/nodes'
import type { BucketName, Ceph } from '@mainstay/engines/ceph/ceph'
import { CephRefusal } from '@mainstay/engines/ceph/commands'
import type { CrushNode, CrushTree } from '@mainstay/engines/ceph/crush-tree'
import type { RecordsTransaction } from '@mainstay/engines/ports/records'
import type { Transaction } from 'kysely'
import type { Database } from '../../../store/schema'
import type { Tools } from '../../../tools'

/**
 * What the server stores about a location: its bucket in the CRUSH map. Null: it has none, so what is in it is in the
 * bucket of the next larger location. Locations without a record get a bucket when it is needed.
 */
interface LocationRecord {
  bucket: string | null
}

/** Returns the buckets of all locations by the ID of the location; see `LocationRecord`. */
export async function bucketsOf(db: Transaction<Database>): Promise<Map<string, string | null>> {
  const rows = await db.selectFrom('private_record').select(['id', 'data']).where('kind', '=', 'location').execute()
  return new Map(rows.map(({ id, data }) => [id, (data as LocationRecord).bucket]))
}

/** Stores the bucket of a location. */
export const keepBucket = (records: RecordsTransaction, id: string, bucket: string | null): Promise<void> =>
  records.putPrivate(locationKind.name, id, { bucket } satisfies LocationRecord)

/** Names of buckets that the server creates. The names of locations cannot be used: they are not unique in the map. */
const bucketName = ({ domain, id }: Location): string => `${domain}-${id}`
export const isOwnBucket = (name: string): boolean =>
  /^(room|row|rack)-[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(name)

/** Returns the bucket of a node's host. Ceph uses the host name with or without its domain. */
export const hostBucket = (tree: CrushTree, { host }: Pick<Node, 'host'>): CrushNode | undefined =>
  [host, host.split('.')[0]!].map((name) => tree.named(name)).find((found) => found?.type === 'host')

/** The CRUSH map of the attached cluster during a change of locations. */
export class CrushPlaces {
  /** Buckets that were created in this change. */
  private readonly added: string[] = []
  private readonly ceph: Ceph
  private readonly records: RecordsTransaction
  private readonly tree: CrushTree
  private readonly buckets: Map<string, string | null>

  private constructor(
    ceph: Ceph,
    records: RecordsTransaction,
    found: { tree: CrushTree; buckets: CrushPlaces['buckets'] },
  ) {
    this.ceph = ceph
    this.records = records
    this.tree = found.tree
    this.buckets = found.buckets
  }

  /** Reads the map; null if no cluster is attached. Throws if the cluster does not respond. */
  static async read(
    { ceph }: Pick<Tools, 'ceph'>,
    records: RecordsTransaction,
    db: Transaction<Database>,
  ): Promise<CrushPlaces | null> {
    return ceph && new CrushPlaces(ceph, records, { tree: await ceph.tree(), buckets: await bucketsOf(db) })
  }

  /**
   * Creates the buckets of these locations, and moves their buckets and those of hosts to the right place. Larger
   * locations come first, so that each host is moved at most once. If a command fails, the buckets that were created
   * are removed again. A move that was made remains: the places of nodes follow the map.
   */
  async settle(all: readonly Location[], locations: readonly Location[], nodes: readonly Node[] = []): Promise<void> {
    try {
      for (const domain of ['room', 'row', 'rack'])
        for (const location of locations.filter((one) => one.domain === domain)) await this.place(all, location)
      for (const node of nodes) {
        const host = hostBucket(this.tree, node)
        if (host)
          await this.move(
            host,
            await this.bucketOf(
              all,
              all.find(({ id }) => id === node.rackId),
            ),
          )
      }
    } catch (error) {
      for (const name of this.added.toReversed()) await this.ceph.removeBucket(name).catch(() => undefined)
      throw error
    }
  }

  /** Removes the bucket of a location. Throws `location_not_empty` if the map has hosts in it that are not known here. */
  async remove({ id, name }: Location): Promise<void> {
    const bucket = this.buckets.get(id) ?? null
    if (bucket === null) return
    await this.ceph.removeBucket(bucket).catch((error: unknown) => {
      if (!(error instanceof CephRefusal && error.reason === 'not_empty')) throw error
      const found = this.tree.named(bucket)
      const content = (found ? this.tree.childrenOf(found) : []).map((child) => child.name).join(', ')
      throw problem('infrastructure.location_not_empty', { name, content })
    })
  }

  private async place(all: readonly Location[], location: Location): Promise<void> {
    const bucket = await this.bucketOf(all, location)
    const found = this.tree.named(bucket.name)
    // a location without a bucket of its own has the bucket of the next larger one, which does not move
    if (found && this.buckets.get(location.id) === bucket.name)
      await this.move(found, await this.bucketAbove(all, location))
  }

  private async move(bucket: CrushNode, parent: BucketName): Promise<void> {
    if (this.tree.parentOf(bucket)?.name !== parent.name) await this.ceph.moveBucket(bucket.name, parent)
  }

  private bucketAbove(all: readonly Location[], location: Location): Promise<BucketName> {
    const above = parentOf(location)
    return this.bucketOf(
      all,
      all.find(({ id }) => id === above),
    )
  }

  /** Returns the bucket of a location, which is created if necessary. */
  private async bucketOf(all: readonly Location[], location: Location | undefined): Promise<BucketName> {
    if (!location) return this.root()
    const { id, domain, is_default } = location
    const known = is_default ? null : this.buckets.get(id)
    if (known === null) return this.bucketAbove(all, location)
    if (known !== undefined) return { name: known, type: domain }
    const bucket = { name: bucketName(location), type: domain }
    await this.ceph.addBucket(bucket, await this.bucketAbove(all, location))
    this.added.push(bucket.name)
    this.buckets.set(id, bucket.name)
    await keepBucket(this.records, id, bucket.name)
    return bucket
  }

  private root(): BucketName {
    const { root } = this.tree
    if (!root) throw problem('infrastructure.ceph_no_root')
    return root
  }
}
