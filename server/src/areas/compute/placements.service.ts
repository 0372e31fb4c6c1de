import { placementCarriers, type CarriedPlacementDraft, type Placement } from '@mainstay/contract/compute/placements'
import { Problem } from '@mainstay/contract/core/problems'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { Tools } from '../../tools'

/**
 * Creates a placement and assigns it to carriers. If an assignment fails, the placement is deleted again; if that fails
 * too, its ID is logged.
 */
export async function createPlacement(
  scope: Scope,
  { nodes, images, flavors, ...draft }: CarriedPlacementDraft,
  { ports, log }: Pick<Tools, 'ports' | 'log'>,
): Promise<Placement> {
  const carriers = { nodes, images, flavors }
  let made = await ports.compute.placements.create(scope, draft)
  const given = placementCarriers.filter((carrier) => carriers[carrier].length > 0)
  try {
    for (const carrier of given)
      made = await ports.compute.placements.assign(scope, made.id, carrier, carriers[carrier])
  } catch (error) {
    const undo = (work: Promise<unknown>, of: object = {}) =>
      work.catch((err: unknown) => {
        // not assigned yet, or already removed by another caller
        if (err instanceof Problem && err.code === 'not_found') return
        const ids = { placement_id: made.id, request_id: scope.request_id, ...of }
        log.error({ err, ...ids }, 'failed to remove a refused placement completely')
      })
    for (const carrier of given) {
      for (const id of carriers[carrier])
        await undo(ports.compute.placements.withdraw(scope, made.id, carrier, id), { carrier, carrier_id: id })
    }
    await undo(ports.compute.placements.delete(scope, made.id))
    throw error
  }
  return made
}
