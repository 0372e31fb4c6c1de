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

/** The right to read nodes, which operators have: they manage placements, other users only pick them. */
export const seesPlacements = computeNodes.list.needs
