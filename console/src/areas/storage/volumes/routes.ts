import { create } from '@mainstay/contract/core/endpoint'
import { route } from '../../../nav/route'

// Rights as in the contract; spelled here for the reason given in ssh-keys/routes.ts.
const list = 'compute/volumes'
const images = 'compute/images'

export const volumeRoutes = [
  route(list, () => import('./VolumeListPage'), {
    needs: 'compute_volumes',
    texts: 'storage',
    title: 'volumes.title',
  }),
  route(`${list}/add`, () => import('./VolumeAddForm'), {
    needs: create('compute_volumes'),
    texts: 'storage',
    title: 'volumes.create',
    over: list,
  }),
  route(`${list}/$volumeId/{-$detailsTab}`, () => import('./VolumePage'), {
    needs: 'compute_volume',
    texts: 'storage',
    title: 'volumes.one',
    over: list,
  }),
  // over the images: what is made is a volume, where one comes from is an image
  route(`${images}/$imageId/create-volume/{-$returnRoute}`, () => import('./ImageVolumeForm'), {
    needs: create('compute_volumes'),
    texts: 'storage',
    title: 'volumes.create',
    over: images,
  }),
]
