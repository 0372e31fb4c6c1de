import { create, read, update } from '@mainstay/contract/core/endpoint'
import { route } from '../../../nav/route'

// the rights are those of the calls, spelled here for the same reason as with SSH keys; who may read placements but not
// nodes only chooses among them
const list = 'compute/placements'
const one = `${list}/$placementId`

export const placementRoutes = [
  route(list, () => import('./PlacementListPage'), {
    needs: read('compute_nodes'),
    texts: 'compute',
    title: 'placements.title',
  }),
  route(`${list}/add`, () => import('./PlacementAddForm'), {
    needs: create('compute_traits'),
    texts: 'compute',
    title: 'placements.add',
    over: list,
  }),
  route(one, () => import('./PlacementPage'), {
    needs: read('compute_nodes'),
    texts: 'compute',
    title: 'placements.one',
    over: list,
  }),
  route(`${one}/edit`, () => import('./PlacementEditForm'), {
    needs: update('compute_traits'),
    texts: 'compute',
    title: 'placements.edit',
    over: one,
  }),
  route(`${one}/assign/$carrier`, () => import('./PlacementAssignForm'), {
    needs: update('compute_traits'),
    texts: 'compute',
    title: 'placements.assign',
    over: one,
  }),
]
