import { useState } from 'react'
import { DropZone } from 'react-aria-components/DropZone'
import { s3Keys } from '@mainstay/contract/object-storage/s3-keys'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { useDebounced } from '../../../lib/use-debounced'
import { Link } from '../../../nav/Link'
import { useGo } from '../../../nav/use-go'
import { useParam, useSearchParam } from '../../../nav/use-param'
import { columns } from '../../../patterns/table/columns'
import { useMay } from '../../../session/may'
import { buttonClass } from '../../../ui/button-class'
import { FolderAddIcon } from '../../../ui/icons'
import { useLocalList } from '../local-list'
import { LocalTable } from '../LocalTable'
import { s3Paths } from '../paths'
import { S3Page } from '../S3Page'
import { droppedFiles } from '../uploads/dropped'
import { UploadButtons } from '../uploads/UploadButtons'
import { useUpload } from '../uploads/use-upload'
import { Breadcrumb } from './Breadcrumb'
import { DeleteFiles } from './DeleteFiles'
import { useFileActions } from './file-actions'
import { FileName } from './FileName'
import { fileKind, folderOf, nameOf, visible, type FileRow } from './file-row'
import css from './files.module.css'
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

/** `buckets/files/{bucketName}?path=`: the files of a bucket, one folder at a time. */
export default function FilesPage() {
  const bucket = useParam('bucketName')
  const path = useSearchParam('path') ?? ''
  // what was typed and selected belongs to one folder
  return <Folder key={`${bucket}/${path}`} bucket={bucket} path={path} />
}

function Folder({ bucket, path }: { bucket: string; path: string }) {
  const t = useT('objectStorage')
  const format = useFormat()
  const go = useGo()
  const may = useMay()
  const [text, setText] = useState('')
  const [deleted, remove] = useState<readonly FileRow[]>([])
  const folder = useFolder(bucket, path, useDebounced(text, searchDelayMs))
  const [fileColumns] = useState(() => columnsOf(bucket))
  const actions = useFileActions(bucket, (file) => remove([file]))
  const { upload, dialog } = useUpload(bucket, path)
  const list = useLocalList({
    ...{ name: 's3_object', rows: folder.rows, sortBy, start: { key: 'name', direction: 'asc' }, rank: foldersFirst },
    ...{ problem: folder.problem, staleSince: folder.staleSince, reload: folder.reload, more: folder.more },
    search: { text, set: setText },
  })
  const count = list.rows.length
  const above = folderOf(path)
  const up = path === '' ? undefined : () => go(s3Paths.files(bucket), { search: above === '' ? {} : { path: above } })
  const mayWrite = may(s3Keys.create.needs)
  return (
    <S3Page
      title={<bdi>{path === '' ? bucket : visible(nameOf(path)) || '/'}</bdi>}
      above={<Breadcrumb bucket={bucket} path={path} />}
      isFilled
      actions={
        <>
          <Link to={s3Paths.bucket(bucket)} className={buttonClass({ variant: 'quiet' })}>
            {t('buckets.details')}
          </Link>
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
      <DropZone
        className={css.drop!}
        aria-label={t('files.drop')}
        isDisabled={!mayWrite}
        getDropOperation={() => 'copy'}
        onDrop={({ items }) => void droppedFiles(items).then(upload)}
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
          onDelete={remove}
          selectedText={
            folder.more.has ? (some) => t('files.selected', { count: some, shown: format.number(some) }) : undefined
          }
          onUp={up}
        />
      </DropZone>
      {dialog}
      {deleted.length > 0 && <DeleteFiles bucket={bucket} files={deleted} onClose={() => remove([])} />}
    </S3Page>
  )
}
