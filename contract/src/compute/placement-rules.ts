import { problem, type Problem } from '../core/problems'

/** How many of each kind have a placement. */
export interface PlacementUse {
  nodes: number
  images: number
  flavors: number
  servers: number
}

/** Why a placement that something has is not deleted; null where nothing has it. */
export const whyPlacementStays = (use: PlacementUse): Problem | null =>
  Object.values(use).every((count) => count === 0) ? null : problem('compute.placement_in_use', { ...use })
