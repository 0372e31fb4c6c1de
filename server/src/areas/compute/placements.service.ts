import { placementCarriers, type CarriedPlacementDraft, type Placement } from '@mainstay/contract/compute/placements'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { Tools } from '../../tools'

/** Makes a placement and lets these carry it; where one of them cannot, there is none. */
export async function createPlacement(
  scope: Scope,
  { nodes, images, flavors, ...draft }: CarriedPlacementDraft,
  { compute }: Pick<Tools, 'compute'>,
): Promise<Placement> {
  const carriers = { nodes, images, flavors }
  let made = await compute.placements.create(scope, draft)
  const given = placementCarriers.filter((carrier) => carriers[carrier].length > 0)
  try {
    for (const carrier of given) made = await compute.placements.assign(scope, made.id, carrier, carriers[carrier])
  } catch (error) {
    for (const carrier of given) {
      for (const id of carriers[carrier])
        await compute.placements.withdraw(scope, made.id, carrier, id).catch(() => undefined)
    }
    await compute.placements.delete(scope, made.id).catch(() => undefined)
    throw error
  }
  return made
}
