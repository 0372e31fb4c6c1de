import type { Instance } from '@mainstay/contract/compute/instances'
import { fieldProblem } from '@mainstay/contract/core/problems'
import type { RecordsTransaction } from '../../../ports/records'
import type { Scope } from '../../../ports/scope'
import { allPlacements, type KeptPlacement } from './commands'
import { thisNodeId } from '../this-node'

/*
 * Where instances may run, as far as placements say it: on the one node, or nowhere. Each of these is called behind
 * the key `host`, by which placements do not change meanwhile.
 */

interface Wanted {
  placement: KeptPlacement
  /** What asks for it, as a field of the draft. */
  field: string
}

/**
 * Ids of the placements of a new instance: those that are chosen, those of its flavor and those of what it boots from.
 * Throws `no_valid_host` where the node does not take it with these.
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

/** As `placeInstance`, for one that comes back to the node. */
export async function placeAgain(tx: RecordsTransaction, { traits }: Instance): Promise<void> {
  const all = await allPlacements(tx)
  const own = all.filter(({ id }) => traits.includes(id))
  refuseUncarried(own.map((placement) => ({ placement, field: 'traits' })))
  refuseKeptFree(all, traits)
}

/** Ids of the placements that an instance has with another flavor: its own, and that one's. */
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

/** Ids of the placements that an instance has when these are chosen for it. What came from an operator stays with others. */
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

/** One that is isolated is given out by operators alone. */
function choosable(all: KeptPlacement[], scope: Scope, id: string): KeptPlacement {
  const placement = all.find((it) => it.id === id && (scope.kind === 'system' || !it.isolated))
  if (!placement) throw fieldProblem('traits', 'compute.no_such_placement')
  return placement
}

function refuseUncarried(wanted: readonly Wanted[]): void {
  const missing = wanted.find(({ placement }) => !placement.nodes.includes(thisNodeId))
  if (missing) throw fieldProblem(missing.field, 'compute.no_node_with_placement', { name: missing.placement.name })
}

/** Everybody may come here, so that the placement is not named: not everybody may know of it. */
function refuseKeptFree(all: readonly KeptPlacement[], ids: readonly string[]): void {
  const isClosed = all.some(({ id, isolated, nodes }) => isolated && nodes.includes(thisNodeId) && !ids.includes(id))
  if (isClosed) throw fieldProblem('traits', 'compute.all_nodes_reserved')
}
