import { useState } from 'react'
import { s3Service } from '@mainstay/contract/object-storage/s3-service'
import { CallProblem } from '../../../api/problem'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useParam } from '../../../nav/use-param'
import { DrawerPage } from '../../../patterns/DrawerPage'
import { Facts } from '../../../patterns/Facts'
import { Bytes } from '../../../ui/values/Bytes'
import { CopyableCode } from '../../../ui/values/CopyableCode'
import { Time } from '../../../ui/values/Time'
import { headObject, type ObjectHead } from '../client/objects'
import { s3Query } from '../keys'
import { keyOfFile, s3Paths } from '../paths'
import { TagsPanel } from '../tags/TagsPanel'
import { useS3 } from '../use-s3'
import { FileVersions } from './FileVersions'
import { useFileActions, type FileWork } from './file-actions'
import { FileDialogs } from './FileDialogs'
import { folderOf, nameOf, typeOf, visible, type FileRow } from './file-row'
import css from './files.module.css'
import { Preview } from './Preview'

const rowOf = (id: string, key: string, head: ObjectHead): FileRow => ({
  ...{ Key: key, Prefix: folderOf(key), ETag: head.etag, Size: head.size, LastModified: head.modified },
  ...{ id, name: nameOf(key), type: typeOf(nameOf(key)), isFolder: false, etag: head.etag },
})

/** `buckets/files/{bucketName}/{fileId}`: file details, in a drawer over the folder. */
export default function FilePage() {
  const t = useT('objectStorage')
  const go = useAppNavigate()
  const bucket = useParam('bucketName')
  const id = useParam('fileId')
  const key = keyOfFile(id)
  const service = useView(s3Service.view, {})
  const [work, begin] = useState<FileWork>()
  const actions = useFileActions(bucket, begin)
  const view = useS3(s3Query.object(bucket, key ?? id), async (signal) => {
    // the ID in the URL is invalid
    if (key === null)
      throw new CallProblem({ kind: 'not-found', status: 404, code: 'NoSuchKey', message: t('fault.noKey') })
    return { key, head: await headObject(bucket, key, signal) }
  })
  const closeTo = s3Paths.files(bucket)
  const endpoint = service.data?.endpoint
  return (
    <>
      <DrawerPage
        view={view}
        what={t('files.one')}
        title={(item) => visible(nameOf(item.key))}
        actions={(item) => actions(rowOf(id, item.key, item.head))}
        closeTo={closeTo}
      >
        {({ key: name, head }) => (
          <div className={css.parts}>
            <Preview bucket={bucket} objectKey={name} head={head} />
            <Facts
              rows={[
                [t('files.key'), <CopyableCode key="key">{name}</CopyableCode>],
                [t('files.size'), <Bytes key="size" of={head.size} />],
                [t('files.type'), head.type],
                [t('files.modified'), head.modified && <Time at={head.modified} show="both" />],
                [t('files.etag'), head.etag && <CopyableCode>{head.etag}</CopyableCode>],
                [t('files.path'), <CopyableCode key="path">{`s3://${bucket}/${name}`}</CopyableCode>],
                [
                  t('files.url'),
                  endpoint && (
                    <CopyableCode>{`${endpoint}/${bucket}/${name.split('/').map(encodeURIComponent).join('/')}`}</CopyableCode>
                  ),
                ],
              ]}
            />
            <TagsPanel of={{ bucket, key: name }} name={visible(nameOf(name))} />
            <FileVersions bucket={bucket} objectKey={name} />
          </div>
        )}
      </DrawerPage>
      {work && (
        <FileDialogs
          bucket={bucket}
          work={work}
          onClose={(isGone) => (isGone ? go(closeTo, { keepsSearch: true, replace: true }) : begin(undefined))}
        />
      )}
    </>
  )
}
