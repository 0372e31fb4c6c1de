import type { Instance } from '@mainstay/contract/compute/instances'
import { fieldProblem } from '@mainstay/contract/core/problems'
import type { RecordsTransaction } from '../../../ports/records'
import type { Scope } from '../../../ports/scope'
import { allPlacements, type KeptPlacement } from './commands'
import { thisNodeId } from '../../../ports/named-id'

/*
 * Decides where placements allow an instance to run: on the only node, or nowhere. Callers must hold the exclusive lock
 * `host`, so that placements cannot change concurrently.
 */

interface Wanted {
  placement: KeptPlacement
  /** Field of the draft that requires the placement. */
  field: string
}

/**
 * Returns the placement IDs of a new instance: those chosen, those of its flavor, and those of the image that it boots
 * from. Throws `no_valid_host` if the node does not match them.
 */
export async function placeInstance(
  tx: RecordsTransaction,
  scope: Scope,
  { chosen, flavorId, ofImage }: { chosen: string[]; flavorId: string; ofImage: string[] },
): Promise<string[]> {
  const all = await allPlacements(tx)
  const wanted: Wanted[] = [
    ...chosen.map((id) => ({ placement: choosable(all, scope, id), field: 'traits' })),
    ...all.filter(({ flavors }) => flavors.includes(flavorId)).map((placement) => ({ placement, field: 'flavor' })),
    ...all.filter(({ id }) => ofImage.includes(id)).map((placement) => ({ placement, field: 'volumes' })),
  ]
  refuseUncarried(wanted)
  const ids = [...new Set(wanted.map(({ placement }) => placement.id))]
  refuseKeptFree(all, ids)
  return ids
}

/** Like `placeInstance`, but for an existing instance that is placed on the node again. */
export async function placeAgain(tx: RecordsTransaction, { traits }: Instance): Promise<void> {
  const all = await allPlacements(tx)
  const own = all.filter(({ id }) => traits.includes(id))
  refuseUncarried(own.map((placement) => ({ placement, field: 'traits' })))
  refuseKeptFree(all, traits)
}

/** Returns the placement IDs of an instance after a change to this flavor: its own and those of the flavor. */
export async function placeWithFlavor(
  tx: RecordsTransaction,
  { traits }: Instance,
  flavorId: string,
): Promise<string[]> {
  const added = (await allPlacements(tx)).filter(
    ({ id, flavors }) => flavors.includes(flavorId) && !traits.includes(id),
  )
  refuseUncarried(added.map((placement) => ({ placement, field: 'flavor' })))
  return [...traits, ...added.map(({ id }) => id)]
}

/**
 * Returns the placement IDs of an instance after the caller has replaced them with `chosen`. Tenants cannot remove
 * isolated placements, because only operators assign them.
 */
export async function choosePlacements(
  tx: RecordsTransaction,
  scope: Scope,
  { traits }: Instance,
  chosen: string[],
): Promise<string[]> {
  await tx.exclusive('host')
  const all = await allPlacements(tx)
  const isolated = all.filter(({ id, isolated: isIt }) => isIt && traits.includes(id))
  const kept = scope.kind === 'system' ? [] : isolated.map(({ id }) => id)
  const added = chosen.filter((id) => !traits.includes(id)).map((id) => choosable(all, scope, id))
  refuseUncarried(added.map((placement) => ({ placement, field: 'traits' })))
  const ids = [...new Set([...kept, ...chosen])]
  refuseKeptFree(isolated, ids)
  return ids
}

/** Returns a placement that the caller may choose. Only operators may assign isolated placements. */
function choosable(all: KeptPlacement[], scope: Scope, id: string): KeptPlacement {
  const placement = all.find((it) => it.id === id && (scope.kind === 'system' || !it.isolated))
  if (!placement) throw fieldProblem('traits', 'compute.no_such_placement')
  return placement
}

function refuseUncarried(wanted: readonly Wanted[]): void {
  const missing = wanted.find(({ placement }) => !placement.nodes.includes(thisNodeId))
  if (missing) throw fieldProblem(missing.field, 'compute.no_node_with_placement', { name: missing.placement.name })
}

/**
 * Throws if the node is reserved for an isolated placement that is not listed. The error does not name the placement,
 * because the caller may not be allowed to see it.
 */
function refuseKeptFree(all: readonly KeptPlacement[], ids: readonly string[]): void {
  const isClosed = all.some(({ id, isolated, nodes }) => isolated && nodes.includes(thisNodeId) && !ids.includes(id))
  if (isClosed) throw fieldProblem('traits', 'compute.all_nodes_reserved')
}
