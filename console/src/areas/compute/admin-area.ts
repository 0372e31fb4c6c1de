import { placements } from '@mainstay/contract/compute/placements'
import type { ConsoleArea } from '../../nav/area'
import { resourcePages } from '../../patterns/resource/resource-pages'
import { flavorResource } from './flavors/resource'
import { placementResource, seesPlacements } from './placements/resource'

/** Flavor and placement pages in the administration panel. */
export const computeAdminArea: ConsoleArea = {
  pages: [
    ...resourcePages(flavorResource, {
      panel: 'admin',
      screens: () => import('./flavors/flavor-screens'),
      list: null,
      view: null,
    }),
    ...resourcePages(placementResource, {
      panel: 'admin',
      screens: () => import('./placements/placement-screens'),
      list: { needs: seesPlacements },
      view: { needs: seesPlacements },
      more: [
        {
          path: '$id/assign/$carrier',
          load: () => import('./placements/PlacementAssignForm'),
          needs: placements.assign.needs,
          title: 'assign',
        },
      ],
    }),
  ],
}
