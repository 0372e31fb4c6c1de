import { s3Users } from '@mainstay/contract/object-storage/s3-users'
import type { ConsoleArea } from '../../nav/area'
import { route } from '../../nav/route'

/** Object storage pages for operators. */
export const objectStorageAdminArea: ConsoleArea = {
  pages: [
    route('s3-service', () => import('./operators/ServicePage'), {
      needs: s3Users.list.needs,
      texts: 'objectStorage',
      panel: 'admin',
      menu: { in: 'storage.services', icon: 'BucketIcon', label: 'menu.s3' },
    }),
  ],
}
