import { problem, type Problem } from '../core/problems'

/** Number of objects of each kind that use a placement. */
export interface PlacementUse {
  nodes: number
  images: number
  flavors: number
  servers: number
}

/** Returns the error for deleting a placement that is in use, or null if it is unused. */
export const whyPlacementStays = (use: PlacementUse): Problem | null =>
  Object.values(use).every((count) => count === 0) ? null : problem('compute.placement_in_use', { ...use })
