import { s3Keys } from '@mainstay/contract/object-storage/s3-keys'
import { route, type PageRoute } from '../../nav/route'
import { BucketIcon } from '../../ui/icons'

const texts = { texts: 'objectStorage' } as const
const { needs } = s3Keys.account

const buckets = 's3-storage/buckets'
const files = `${buckets}/files/$bucketName`
const access = 's3-storage/access'

/** Pages of object storage (S1§2). */
export const objectStorageRoutes: readonly PageRoute[] = [
  route('s3-storage', () => import('./RootPage'), {
    ...{ ...texts, needs, title: 'title' },
    menu: { group: 'main', icon: BucketIcon, label: 'menu.s3' },
  }),
  route(buckets, () => import('./buckets/BucketListPage'), { ...texts, needs, title: 'buckets.title' }),
  route(`${buckets}/add`, () => import('./buckets/BucketAddForm'), {
    ...{ ...texts, needs: s3Keys.create.needs, title: 'buckets.add', over: buckets },
  }),
  route(`${buckets}/$bucketName/{-$detailsTab}`, () => import('./buckets/BucketPage'), {
    ...{ ...texts, needs, title: 'buckets.one' },
  }),
  route(`${buckets}/$bucketName/bucket-policy/manage`, () => import('./policy/PolicyPage'), {
    ...{ ...texts, needs: s3Keys.update.needs, title: 'policy.manage' },
  }),
  route(files, () => import('./files/FilesPage'), { ...texts, needs, title: 'files.title' }),
  route(`${files}/add`, () => import('./files/FolderAddForm'), {
    ...{ ...texts, needs: s3Keys.create.needs, title: 'folder.add', over: files },
  }),
  route(`${files}/$fileId`, () => import('./files/FilePage'), { ...texts, needs, title: 'files.one', over: files }),
  route(access, () => import('./access/AccessPage'), { ...texts, needs, title: 'access.title' }),
  route(`${access}/create-key`, () => import('./access/KeyAddForm'), {
    ...{ ...texts, needs: s3Keys.create.needs, title: 'keys.add', over: access },
  }),
]
