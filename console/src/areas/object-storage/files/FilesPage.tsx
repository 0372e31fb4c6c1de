import { useRef, useState } from 'react'
import { DropZone } from 'react-aria-components/DropZone'
import { s3Keys } from '@mainstay/contract/object-storage/s3-keys'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { useDebounced } from '../../../lib/use-debounced'
import { Link } from '../../../nav/Link'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useParam, useSearchParam } from '../../../nav/use-param'
import { notifyError } from '../../../notices/notify-error'
import { columns } from '../../../patterns/table/columns'
import { useMay } from '../../../session/may'
import { buttonClass } from '../../../ui/button-class'
import { Button } from '../../../ui/Button'
import { CopyIcon, DownloadIcon, FolderAddIcon, MoveIcon } from '../../../ui/icons'
import { getVersioning } from '../client/settings'
import { s3Query } from '../keys'
import { useLocalList } from '../../../patterns/local-table/local-list'
import { LocalTable } from '../../../patterns/local-table/LocalTable'
import { s3Paths } from '../paths'
import { S3Page } from '../S3Page'
import { droppedFiles, droppedHandles } from '../uploads/pick-files'
import { useS3 } from '../use-s3'
import { UploadButtons } from '../uploads/UploadButtons'
import { useUpload } from '../uploads/use-upload'
import { downloadArchive } from './archive'
import { DeletedFiles } from './DeletedFiles'
import { useFileActions, type FileWork } from './file-actions'
import { FileDialogs } from './FileDialogs'
import { FileName } from './FileName'
import { fileKind, folderOf, nameOf, visible, type FileRow } from './file-row'
import css from './files.module.css'
import { PathBar } from './PathBar'
import { useFolder } from './use-folder'

const column = columns<FileRow>('objectStorage')
const columnsOf = (bucket: string) => [
  column.node(
    'name',
    'files.name',
    (file, { tabIndex }) => (
      <FileName file={file}>
        <Link
          to={file.isFolder ? s3Paths.files(bucket) : s3Paths.file(bucket, file.Key)}
          {...(file.isFolder ? { search: { path: file.Key } } : { keepsSearch: true })}
          dir="auto"
          tabIndex={tabIndex}
        >
          {visible(file.name) || '/'}
        </Link>
      </FileName>
    ),
    { width: 320 },
  ),
  column.bytes('Size', 'files.size', { width: 110, card: 'plain' }),
  column.time('LastModified', 'files.modified', { width: 150, card: 'plain' }),
  column.node('type', 'files.kind', (file, { t }) => file.type.toUpperCase() || t(`kind.${fileKind(file)}` as never), {
    width: 120,
    card: 'plain',
  }),
]
const sortBy = {
  name: ({ name }: FileRow) => name,
  Size: ({ Size }: FileRow) => Size,
  LastModified: ({ LastModified }: FileRow) => LastModified,
  type: ({ type }: FileRow) => type,
}
const foldersFirst = ({ isFolder }: FileRow) => (isFolder ? 0 : 1)
const searchDelayMs = 300

/** `buckets/files/{bucketName}?path=`: the files in a bucket, one folder at a time. */
export default function FilesPage() {
  const bucket = useParam('bucketName')
  const path = useSearchParam('path') ?? ''
  // reset the search and the selection when the folder changes
  return <Folder key={`${bucket}/${path}`} bucket={bucket} path={path} />
}

function Folder({ bucket, path }: { bucket: string; path: string }) {
  const t = useT('objectStorage')
  const format = useFormat()
  const go = useAppNavigate()
  const may = useMay()
  const [text, setText] = useState('')
  const [work, begin] = useState<FileWork>()
  const [showsDeleted, showDeleted] = useState(false)
  const versioning = useS3(s3Query.bucket(bucket, 'versioning'), (signal) => getVersioning(bucket, signal))
  const keepsVersions = versioning.data !== undefined && versioning.data !== 'never'
  const folder = useFolder(bucket, path, useDebounced(text, searchDelayMs))
  const [fileColumns] = useState(() => columnsOf(bucket))
  const actions = useFileActions(bucket, begin)
  const { upload, dialog } = useUpload(bucket, path)
  const handles = useRef<ReturnType<typeof droppedHandles>>(undefined)
  const list = useLocalList({
    ...{ name: 's3_object', rows: folder.rows, sortBy, start: { key: 'name', direction: 'asc' }, rank: foldersFirst },
    ...{ problem: folder.problem, staleSince: folder.staleSince, reload: folder.reload, more: folder.more },
    search: { text, set: setText },
  })
  const count = list.rows.length
  const above = folderOf(path)
  const up = path === '' ? undefined : () => go(s3Paths.files(bucket), { search: above === '' ? {} : { path: above } })
  const unreadable = (thrown: unknown) => notifyError(thrown, t('upload.unreadable'))
  const [mayWrite, mayRemove] = [may(s3Keys.create.needs), may(s3Keys.delete.needs)]
  const bulk = [
    {
      label: t('bulk.download'),
      icon: DownloadIcon,
      run: (files: FileRow[]) => void downloadArchive(bucket, path, files),
    },
    ...(mayWrite
      ? [{ label: t('bulk.copy'), icon: CopyIcon, run: (files: FileRow[]) => begin({ what: 'copy', files }) }]
      : []),
    ...(mayWrite && mayRemove
      ? [{ label: t('bulk.move'), icon: MoveIcon, run: (files: FileRow[]) => begin({ what: 'move', files }) }]
      : []),
  ]
  return (
    <S3Page
      title={<bdi>{path === '' ? bucket : visible(nameOf(path)) || '/'}</bdi>}
      above={<PathBar bucket={bucket} path={path} />}
      isFilled
      actions={
        <>
          <Link to={s3Paths.bucket(bucket)} className={buttonClass({ variant: 'quiet' })}>
            {t('buckets.details')}
          </Link>
          {mayWrite && keepsVersions && <Button onPress={() => showDeleted(true)}>{t('deleted.show')}</Button>}
          {mayWrite && (
            <Link to={s3Paths.addFolder(bucket)} keepsSearch className={buttonClass({ variant: 'quiet' })}>
              <FolderAddIcon />
              <span>{t('folder.add')}</span>
            </Link>
          )}
          {mayWrite && <UploadButtons onSelect={upload} />}
        </>
      }
    >
      <div
        className={css.dropped}
        // the browser provides file handles only during the event, which DropZone does not expose
        onDropCapture={({ dataTransfer }) => {
          handles.current = droppedHandles(dataTransfer)
        }}
      >
        <DropZone
          className={css.drop!}
          aria-label={t('files.drop')}
          isDisabled={!mayWrite}
          getDropOperation={() => 'copy'}
          onDrop={({ items }) => void droppedFiles(items, handles.current).then(upload).catch(unreadable)}
        >
          <LocalTable
            list={list}
            label={t('files.many')}
            searchLabel={t('files.search')}
            count={
              folder.rows && t(folder.more.has ? 'files.loaded' : 'files.count', { count, shown: format.number(count) })
            }
            columns={fileColumns}
            actions={actions}
            empty={t(path === '' ? 'files.emptyBucket' : 'files.emptyFolder')}
            onDelete={(files) => begin({ what: 'delete', files })}
            bulk={bulk}
            selectedText={
              folder.more.has ? (some) => t('files.selected', { count: some, shown: format.number(some) }) : undefined
            }
            onUp={up}
          />
        </DropZone>
      </div>
      {dialog}
      {work && <FileDialogs bucket={bucket} work={work} onClose={() => begin(undefined)} />}
      {showsDeleted && <DeletedFiles bucket={bucket} path={path} onClose={() => showDeleted(false)} />}
    </S3Page>
  )
}
