import { s3Keys } from '@mainstay/contract/object-storage/s3-keys'
import type objectStorage from '../../../locales/en/objectStorage.json'
import type { ConsoleArea } from '../../nav/area'
import { route, type PageRoute } from '../../nav/route'

declare module '../../i18n/catalogues' {
  interface Catalogues {
    objectStorage: typeof objectStorage
  }
}

const texts = { texts: 'objectStorage' } as const
const { needs } = s3Keys.account

const buckets = 's3-storage/buckets'
const files = `${buckets}/files/$bucketName`
const access = 's3-storage/access'

const pages: readonly PageRoute[] = [
  route('s3-storage', () => import('./RootPage'), { ...texts, needs, title: 'title' }),
  route(buckets, () => import('./buckets/BucketListPage'), {
    ...texts,
    needs,
    menu: { in: 'objects', icon: 'BucketIcon', label: 'menu.buckets', key: 's' },
  }),
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
  route(access, () => import('./access/AccessPage'), {
    ...texts,
    needs,
    menu: { in: 'objects', icon: 'KeyIcon', label: 'menu.accessKeys' },
  }),
  route(`${access}/create-key`, () => import('./access/KeyAddForm'), {
    ...{ ...texts, needs: s3Keys.create.needs, title: 'keys.add', over: access },
  }),
]

/** Object storage pages (S1§2). */
export const objectStorageArea: ConsoleArea = { pages }
