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

/** Who may read nodes gives placements out; everybody else meets them where they may choose them. */
export const seesPlacements = computeNodes.list.needs
