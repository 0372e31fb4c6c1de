import { volumes } from '@mainstay/contract/storage/volumes'
import { route } from '../../../nav/route'
import { resourcePages } from '../../../patterns/resource/resource-pages'
import { imageResource } from '../../compute/images/resource'
import { volumeResource } from './resource'

export const volumeRoutes = [
  ...resourcePages(volumeResource, {
    list: () => import('./VolumeListPage'),
    add: () => import('./VolumeAddForm'),
    view: { path: '$id/{-$detailsTab}', load: () => import('./VolumePage') },
  }),
  // over the images: what is made is a volume, where one comes from is an image
  route(`${imageResource.path}/$id/create-volume/{-$returnRoute}`, () => import('./ImageVolumeForm'), {
    needs: volumes.create.needs,
    texts: 'storage',
    title: 'volumes.add',
    over: imageResource.path,
  }),
]
