import { placements } from '@mainstay/contract/compute/placements'
import { resourcePages } from '../../../patterns/resource/resource-pages'
import { placementResource, seesPlacements } from './resource'

export const placementRoutes = resourcePages(placementResource, {
  screens: () => import('./placement-screens'),
  form: () => import('./placement-form'),
  list: { needs: seesPlacements },
  view: { needs: seesPlacements },
  more: [
    {
      path: '$id/assign/$carrier',
      load: () => import('./PlacementAssignForm'),
      needs: placements.assign.needs,
      title: 'assign',
    },
  ],
})
