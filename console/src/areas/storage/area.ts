import { volumes } from '@mainstay/contract/storage/volumes'
import type recycleBin from '../../../locales/en/recycleBin.json'
import type storage from '../../../locales/en/storage.json'
import type { ConsoleArea } from '../../nav/area'
import { route, type PageRoute } from '../../nav/route'
import { withTexts } from '../../nav/with-texts'
import { resourcePages } from '../../patterns/resource/resource-pages'
import { imageResource } from '../compute/images/resource'
import { recycleBinResource } from './recycle-bin/resource'
import { volumeResource } from './volumes/resource'

declare module '../../i18n/catalogues' {
  interface Catalogues {
    recycleBin: typeof recycleBin
    storage: typeof storage
  }
}

const pages: readonly PageRoute[] = [
  ...resourcePages(volumeResource, {
    list: () => import('./volumes/VolumeListPage'),
    add: () => import('./volumes/VolumeAddForm'),
    view: {
      path: '$id/{-$detailsTab}',
      load: withTexts('locks', () => import('./volumes/VolumePage')),
    },
  }),
  route(`${volumeResource.path}/$id/clone/{-$returnRoute}`, () => import('./volumes/VolumeCloneForm'), {
    needs: volumes.clone.needs,
    texts: 'storage',
    title: 'volumes.clone',
    over: volumeResource.path,
  }),
  route(`${volumeResource.path}/$id/image-add/{-$returnRoute}`, () => import('./volumes/VolumeImageForm'), {
    needs: volumes.uploadToImage.needs,
    texts: 'storage',
    title: 'volumes.toImage',
    over: volumeResource.path,
  }),
  // opens over the image list because users reach the form from an image
  route(`${imageResource.path}/$id/create-volume/{-$returnRoute}`, () => import('./volumes/ImageVolumeForm'), {
    needs: volumes.create.needs,
    texts: 'storage',
    title: 'volumes.add',
    over: imageResource.path,
  }),

  ...resourcePages(recycleBinResource, {
    list: () => import('./recycle-bin/RecycleBinPage'),
    view: () => import('./recycle-bin/RecycledItemPage'),
  }),
]

/** Volume and recycle bin pages. */
export const storageArea: ConsoleArea = { pages }
