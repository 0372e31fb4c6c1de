import { Problem } from '@mainstay/contract/core/problems'
import { locationDomains, parentOf, type LocationDomain } from '@mainstay/contract/infrastructure/location-rules'
import { locationKind, MAX_LOCATIONS, type Location } from '@mainstay/contract/infrastructure/locations'
import { nodeKind, type Node } from '@mainstay/contract/infrastructure/nodes'
import type { CrushNode, CrushTree } from '@mainstay/engines/ceph/crush-tree'
import type { RecordsTransaction } from '@mainstay/engines/ports/records'
import * as z from 'zod'
import { job, schedule } from '../../../module'
import type { Tools } from '../../../tools'
import { bucketsOf, hostBucket, isOwnBucket, keepBucket } from './crush-places'
import { defaultPlaces } from './default-places'
import { allLocations, folded, newLocation } from './locations.service'

const MAX_NAME = 64
const defaultOf = { room: defaultPlaces.roomId, row: defaultPlaces.rowId, rack: defaultPlaces.rackId } as const

/**
 * Makes locations and nodes follow the CRUSH map of the attached Ceph cluster: a room, row or rack that was created with
 * other tools becomes a location, and a location or host that was moved with other tools is moved here. The map does not
 * change.
 */
export async function followCrush({ inventory, ceph }: Pick<Tools, 'inventory' | 'ceph'>): Promise<void> {
  if (!ceph) return
  await inventory.transaction(async (records, db) => {
    const all = await allLocations(records)
    // read under the lock of the locations: an older map would undo a change that has just been made
    const tree = await ceph.tree()
    await new Following(records, tree, all, await bucketsOf(db)).follow()
  })
}

class Following {
  private readonly records: RecordsTransaction
  private readonly tree: CrushTree
  private readonly locations: Map<string, Location>
  private readonly buckets: Map<string, string | null>
  /** IDs of locations by the name of their bucket. */
  private readonly ids: Map<string, string>

  constructor(
    records: RecordsTransaction,
    tree: CrushTree,
    all: readonly Location[],
    buckets: Map<string, string | null>,
  ) {
    this.records = records
    this.tree = tree
    this.locations = new Map(all.map((location) => [location.id, location]))
    this.buckets = buckets
    this.ids = new Map([...buckets].flatMap(([id, bucket]) => (bucket === null ? [] : [[bucket, id] as const])))
  }

  async follow(): Promise<void> {
    for (const domain of locationDomains)
      for (const bucket of this.tree.nodes.filter(({ type }) => type === domain))
        await this.followBucket(domain, bucket)
    for (const node of await this.records.find<Node>(nodeKind.name, {})) await this.followNode(node)
  }

  private async followBucket(domain: LocationDomain, bucket: CrushNode): Promise<void> {
    const id = this.ids.get(bucket.name)
    // left by a change that failed
    if (id === undefined && isOwnBucket(bucket.name)) return
    if (id === undefined && this.locations.size >= MAX_LOCATIONS) return
    const parent = domain === 'room' ? null : await this.placeOf(domain === 'row' ? 'room' : 'row', bucket)
    const known = id === undefined ? undefined : this.locations.get(id)
    const parents = parentsIn(parent)
    if (known) {
      if (parentOf({ ...known, ...parents }) !== parentOf(known) || known.room_id !== parents.room_id)
        await this.put({ ...known, ...parents, updated_at: new Date().toISOString() })
    } else await this.add(domain, bucket.name, parent, bucket.name)
  }

  /**
   * Returns the location of this level that contains a bucket. If the bucket is directly in a larger one, the location
   * has no bucket of its own.
   */
  private async placeOf(domain: LocationDomain, bucket: CrushNode): Promise<Location> {
    const found = this.tree.ancestorOf(bucket, domain)
    const id = found && found !== bucket ? this.ids.get(found.name) : undefined
    const known = id === undefined ? undefined : this.locations.get(id)
    if (known) return known
    const above = domain === 'room' ? null : await this.placeOf(domain === 'row' ? 'room' : 'row', bucket)
    if (above === null || above.is_default) return this.locations.get(defaultOf[domain])!
    const without = [...this.locations.values()].find(
      (one) => one.domain === domain && parentOf(one) === above.id && this.buckets.get(one.id) === null,
    )
    return without ?? this.add(domain, 'Default', above, null)
  }

  private async add(
    domain: LocationDomain,
    name: string,
    parent: Location | null,
    bucket: string | null,
  ): Promise<Location> {
    const siblings = [...this.locations.values()].filter(
      (one) => one.domain === domain && parentOf(one) === (parent?.id ?? null),
    )
    const taken = new Set(siblings.map((one) => folded(one.name)))
    let free = name.slice(0, MAX_NAME)
    for (let number = 2; taken.has(folded(free)); number++) free = `${name.slice(0, MAX_NAME - 6)} (${number})`
    const location = newLocation(domain, free, parentsIn(parent))
    await this.put(location)
    await keepBucket(this.records, location.id, bucket)
    this.buckets.set(location.id, bucket)
    if (bucket !== null) this.ids.set(bucket, location.id)
    return location
  }

  private async put(location: Location): Promise<void> {
    this.locations.set(location.id, location)
    await this.records.put(locationKind.name, location)
  }

  /** Writes the place of a node if it has changed. */
  private async followNode({ id }: Node): Promise<void> {
    const node = await this.records.lock<Node>(nodeKind.name, id)
    if (!node) return
    const rack = await this.rackOf(node)
    const place = { roomId: rack.room_id!, rowId: rack.row_id!, rackId: rack.id }
    if (Object.entries(place).some(([field, value]) => node[field as keyof typeof place] !== value))
      await this.records.put(nodeKind.name, { ...node, ...place })
  }

  private async rackOf(node: Node): Promise<Location> {
    const host = hostBucket(this.tree, node)
    const current = this.locations.get(node.rackId) ?? this.locations.get(defaultPlaces.rackId)!
    if (!host) return current
    const rack = await this.placeOf('rack', host)
    // the map does not know the racks that were created before the cluster was attached
    return rack.is_default && !this.buckets.has(current.id) ? current : rack
  }
}

/** The parent fields of a location in this parent. */
const parentsIn = (parent: Location | null): Pick<Location, 'room_id' | 'row_id'> =>
  parent === null
    ? { room_id: null, row_id: null }
    : { room_id: parent.room_id ?? parent.id, row_id: parent.domain === 'row' ? parent.id : null }

/** Lets the locations follow the CRUSH map, at the start of a server and every minute. */
export const followingCrush = schedule({
  name: 'infrastructure.follow_crush',
  job: job({
    name: 'infrastructure.follow_crush',
    args: z.strictObject({}),
    async run(_, tools) {
      await followCrush(tools).catch((error: unknown) => {
        if (!(error instanceof Problem)) throw error
        tools.log.info({ advice: error.message }, 'the locations do not follow the CRUSH map')
      })
    },
  }),
  plan: { cron: '* * * * *', time_zone: 'UTC', jitter_seconds: 0, missed: 'skip' },
  runsAtStart: true,
})
