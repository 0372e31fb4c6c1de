import { computeNodes } from '@mainstay/contract/compute/nodes'
import { placementKind, placements } from '@mainstay/contract/compute/placements'
import { resource } from '../../../nav/resource'

export const placementResource = resource({
  kind: placementKind,
  calls: placements,
  area: 'compute',
  words: 'placements',
  path: 'compute/placements',
  menu: { in: 'compute.cluster', icon: 'PlacementIcon', label: 'menu.placements' },
})

/**
 * The permission to manage placements: the permission to read nodes, which only operators have. Other users only pick
 * placements.
 */
export const seesPlacements = computeNodes.list.needs
