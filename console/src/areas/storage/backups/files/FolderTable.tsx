import { useState } from 'react'
import { backupFiles, MOST_FILES_LISTED, type FileEntry } from '@mainstay/contract/storage/backup-files'
import { useView } from '../../../../api/use-view'
import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import { Link } from '../../../../nav/Link'
import { useAppNavigate } from '../../../../nav/use-app-navigate'
import { useLocalList } from '../../../../patterns/local-table/local-list'
import { LocalTable } from '../../../../patterns/local-table/LocalTable'
import { columns } from '../../../../patterns/table/columns'
import { Banner } from '../../../../ui/feedback/Banner'
import { DownloadIcon, FileIcon, FolderIcon, ShowIcon } from '../../../../ui/icons'
import { SegmentedControl } from '../../../../ui/SegmentedControl'
import { StatusBadge } from '../../../../ui/values/StatusBadge'
import { downloadFile, downloadZip, type FolderPlace } from './download'
import { comparedStatus } from './file-words'
import css from './files.module.css'
import { useClosedFiles } from './use-files-session'

interface FileRow extends FileEntry {
  id: string
}

type Shown = 'all' | 'changed' | 'gone'

const column = columns<FileRow>('storage')
const sortBy = {
  name: ({ name }: FileRow) => name,
  size: ({ size }: FileRow) => size,
  modified_at: ({ modified_at }: FileRow) => modified_at,
  owner: ({ owner }: FileRow) => owner,
}
const foldersFirst = ({ kind }: FileRow) => (kind === 'folder' ? 0 : 1)
const matches = ({ name }: FileRow, search: string) => name.toLowerCase().includes(search.toLowerCase())

interface FolderTableProps {
  place: FolderPlace
  /** Another recovery point of the same volume, whose files are open. */
  comparedWith: string | undefined
  to: string
  /** Query parameters for a folder. */
  searchOf: (path: string) => Readonly<Record<string, string>>
  onPreview: (file: FileEntry) => void
}

/** The files in a folder of a recovery point, with downloads of one or several. */
export function FolderTable({ place, comparedWith, to, searchOf, onPreview }: FolderTableProps) {
  const t = useT('storage')
  const format = useFormat()
  const go = useAppNavigate()
  const { pointId, fileSystem, path } = place
  const [shown, setShown] = useState<Shown>('all')
  const view = useView(
    backupFiles.entries,
    { id: pointId },
    { query: { file_system: fileSystem, path, ...(comparedWith !== undefined && { compare_with: comparedWith }) } },
  )
  useClosedFiles(view.problem)
  const rows = view.data?.entries
    .filter(({ compared }) => comparedWith === undefined || shown === 'all' || compared === shown)
    .map((entry): FileRow => ({ ...entry, id: entry.path }))
  const list = useLocalList({
    ...{ name: 'backup_file', rows, sortBy, start: { key: 'name', direction: 'asc' }, rank: foldersFirst, matches },
    ...{ problem: view.problem, staleSince: view.staleSince, reload: view.reload },
  })
  const [fileColumns] = useState(() => [
    column.node(
      'name',
      'backups.files.name',
      (file, { tabIndex }) => (
        <span className={css.name}>
          {file.kind === 'folder' ? <FolderIcon /> : <FileIcon />}
          {file.kind === 'folder' ? (
            <Link to={to} search={searchOf(file.path)} dir="auto" tabIndex={tabIndex}>
              {file.name}
            </Link>
          ) : (
            <bdi>{file.name}</bdi>
          )}
          {file.link_target !== null && (
            <span className={css.dim}>{t('backups.files.linkTo', { target: file.link_target })}</span>
          )}
        </span>
      ),
      { width: 320 },
    ),
    column.bytes('size', 'volumes.size', { width: 110, card: 'plain' }),
    column.time('modified_at', 'backups.files.modified', { width: 150, card: 'plain' }),
    column.number('owner', 'backups.files.owner', undefined, { width: 90, card: 'plain' }),
  ])
  const compared = column.node(
    'compared',
    'backups.files.compared',
    (file, { t: say }) => {
      const status = comparedStatus(file, say)
      return status && <StatusBadge tone={status.tone}>{status.text}</StatusBadge>
    },
    { width: 160, card: 'plain' },
  )
  const above = path.slice(0, path.lastIndexOf('/')) || '/'
  return (
    <>
      {comparedWith !== undefined && (
        <SegmentedControl
          label={t('backups.files.compared')}
          value={shown}
          onChange={setShown}
          items={[
            { id: 'all', label: t('backups.files.all') },
            { id: 'changed', label: t('backups.files.changed') },
            { id: 'gone', label: t('backups.files.gone') },
          ]}
        />
      )}
      {view.data?.truncated && (
        <Banner tone="warn">{t('backups.files.truncated', { shown: format.number(MOST_FILES_LISTED) })}</Banner>
      )}
      <LocalTable
        list={list}
        label={t('backups.files.many')}
        searchLabel={t('backups.files.search')}
        count={t('backups.files.count', { count: list.rows.length, shown: format.number(list.rows.length) })}
        columns={comparedWith === undefined ? fileColumns : [...fileColumns, compared]}
        empty={t(shown === 'all' ? 'backups.files.empty' : 'backups.files.noneSuch')}
        actions={(file) => [
          ...(file.kind === 'file'
            ? [{ label: t('backups.files.preview'), icon: ShowIcon, isLikely: true, run: () => onPreview(file) }]
            : []),
          {
            label: t(file.kind === 'folder' ? 'backups.files.downloadFolder' : 'backups.files.download'),
            icon: DownloadIcon,
            ...(isDownloadable(file)
              ? { run: () => (file.kind === 'folder' ? void downloadZip(place, [file]) : downloadFile(place, file)) }
              : { disabledBecause: t('backups.files.notDownloadable') }),
          },
        ]}
        bulk={[
          {
            label: t('backups.files.zip'),
            icon: DownloadIcon,
            run: (files) => void downloadZip(place, files.filter(isDownloadable)),
          },
        ]}
        onUp={path === '/' ? undefined : () => go(to, { search: searchOf(above) })}
      />
    </>
  )
}

const isDownloadable = ({ kind }: FileEntry) => kind === 'file' || kind === 'folder'
