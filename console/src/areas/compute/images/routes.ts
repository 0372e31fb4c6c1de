import { create } from '@mainstay/contract/core/endpoint'
import { route } from '../../../nav/route'

// Rights as in the contract; spelled here for the reason given in ssh-keys/routes.ts.
const list = 'compute/images'

// `images/{imageId}/create-volume` is a page of volumes; see storage/volumes/routes.ts.
export const imageRoutes = [
  route(list, () => import('./ImageListPage'), {
    needs: 'compute_images',
    texts: 'compute',
    title: 'images.title',
  }),
  route(`${list}/add`, () => import('./ImageAddForm'), {
    needs: create('compute_images'),
    texts: 'compute',
    title: 'images.add',
    over: list,
  }),
  route(`${list}/$imageId`, () => import('./ImagePage'), {
    needs: 'compute_image',
    texts: 'compute',
    title: 'images.one',
    over: list,
  }),
]
