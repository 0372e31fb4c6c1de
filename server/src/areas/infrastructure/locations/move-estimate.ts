import { fieldProblem } from '@mainstay/contract/core/problems'
import { parentOf } from '@mainstay/contract/infrastructure/location-rules'
import {
  locationKind,
  type Location,
  type LocationMove,
  type MoveEstimate,
} from '@mainstay/contract/infrastructure/locations'
import { nodeKind, type Node } from '@mainstay/contract/infrastructure/nodes'
import type { Tools } from '../../../tools'
import { bucketsOf, hostBucket } from './crush-places'

/**
 * A move changes the weights of the place that is left, of the new place and of everything above them. For each byte on
 * the moved hosts, at most one other byte leaves each of the two places.
 */
const MOST_PER_BYTE = 3

/** Estimates how much data the attached Ceph cluster moves. Without a cluster, none. */
export async function estimateMove(
  { inventory, ceph }: Pick<Tools, 'inventory' | 'ceph'>,
  { location_id, node_ids = [], to }: LocationMove,
): Promise<MoveEstimate> {
  const [all, nodes, buckets] = await inventory.transaction(async (records, db) => [
    await records.find<Location>(locationKind.name, {}),
    await records.find<Node>(nodeKind.name, {}),
    await bucketsOf(db),
  ])
  const byId = new Map(all.map((location) => [location.id, location]))
  const target = byId.get(to)
  if (!target) throw fieldProblem('to', 'core.not_found')
  if (location_id !== undefined && !byId.has(location_id)) throw fieldProblem('location_id', 'core.not_found')
  const unknown = node_ids.findIndex((id) => !nodes.some((node) => node.id === id))
  if (unknown >= 0) throw fieldProblem(`node_ids.${unknown}`, 'infrastructure.no_such_node', { id: node_ids[unknown]! })
  const none = { hosts: 0, least: 0, most: 0 }
  if (!ceph) return none

  /** The bucket of a location, or of the next larger one. Null: the root. Undefined: it would be created. */
  const bucketOf = (location: Location | undefined): string | null | undefined => {
    if (!location) return null
    const own = location.is_default ? null : buckets.get(location.id)
    return own === null ? bucketOf(byId.get(parentOf(location) ?? '')) : own
  }
  const moved = location_id === undefined ? undefined : byId.get(location_id)!
  if (moved && bucketOf(byId.get(parentOf(moved) ?? '')) === bucketOf(target)) return none
  const [tree, used] = await Promise.all([ceph.tree(), ceph.usedSpace()])
  const parent = bucketOf(target) ?? (bucketOf(target) === null ? tree.root?.name : undefined)
  const hosts = nodes.flatMap((node) => {
    const isMoved = moved ? [node.rackId, node.rowId].includes(moved.id) : node_ids.includes(node.id)
    const host = isMoved ? hostBucket(tree, node) : undefined
    return host && (moved || tree.parentOf(host)?.name !== parent) ? [host] : []
  })
  const bytesIn = (host: (typeof hosts)[number]) =>
    tree.osdsIn(host).reduce((total, { id }) => total + (used.get(id) ?? 0), 0)
  const least = hosts.reduce((total, host) => total + bytesIn(host), 0)
  const everything = [...used.values()].reduce((total, bytes) => total + bytes, 0)
  return { hosts: hosts.length, least, most: Math.min(MOST_PER_BYTE * least, everything) }
}
