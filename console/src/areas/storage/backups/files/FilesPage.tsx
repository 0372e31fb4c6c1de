import { useState, type ReactNode } from 'react'
import {
  backupFiles,
  FILES_SESSION_MINUTES,
  type FileEntry,
  type FileSystem,
} from '@mainstay/contract/storage/backup-files'
import { isRestorable } from '@mainstay/contract/storage/backup-rules'
import { volumeBackupKind, volumeBackups, type VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { call } from '../../../../api/call'
import { problemText } from '../../../../api/problem-text'
import { useCall } from '../../../../api/use-call'
import { useList } from '../../../../api/use-list'
import { useView } from '../../../../api/use-view'
import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import { Link } from '../../../../nav/Link'
import { useAppNavigate } from '../../../../nav/use-app-navigate'
import { useParam, useSearchParam } from '../../../../nav/use-param'
import { ViewContent } from '../../../../patterns/DrawerPage'
import { Page } from '../../../../patterns/Page'
import { Button } from '../../../../ui/Button'
import { Banner } from '../../../../ui/feedback/Banner'
import { EmptyState } from '../../../../ui/feedback/EmptyState'
import { ErrorPanel } from '../../../../ui/feedback/ErrorPanel'
import { ProgressBar } from '../../../../ui/feedback/ProgressBar'
import { Select } from '../../../../ui/fields/Select'
import { volumeBackupResource } from '../resource'
import { FileDrawer } from './FileDrawer'
import { firstReadable, fileSystemText, unreadableText } from './file-words'
import css from './files.module.css'
import { FolderPath } from './FolderPath'
import { FolderTable } from './FolderTable'
import { useClosedFiles, useFilesSession, type OpenFiles } from './use-files-session'

const { paths } = volumeBackupResource
const NOT_COMPARED = '-'

/** `recovery-points/{id}/files`: the files of a recovery point. File system, folder and comparison are in the address. */
export default function FilesPage() {
  const t = useT('storage')
  const id = useParam('id')
  const go = useAppNavigate()
  const view = useView(volumeBackups.view, { id }, { kind: volumeBackupKind })
  const opened = useFilesSession(id)
  const close = useCall(backupFiles.close, { done: () => go(paths.view(id)) })
  const { session } = opened
  return (
    <Page
      title={t('backups.files.title', { name: view.data?.name ?? t('backups.one') })}
      above={
        <nav aria-label={t('backups.one')} className={css.above}>
          <Link to={paths.view(id)}>{view.data?.name ?? t('backups.one')}</Link>
        </nav>
      }
      aside={t('backups.files.readOnly')}
      isFilled
      actions={
        session?.status === 'ready' &&
        !opened.isClosed && (
          <Button
            isBusy={close.isPending}
            onPress={() => void close.run({ params: { id } }).catch(() => go(paths.view(id)))}
          >
            {t('backups.files.close')}
          </Button>
        )
      }
    >
      <Opened opened={opened} text={t('backups.files.opening')}>
        <ViewContent view={view}>{(point) => <FileSystems point={point} />}</ViewContent>
      </Opened>
    </Page>
  )
}

interface OpenedProps {
  opened: OpenFiles
  /** Shown while the files are being opened. */
  text: string
  children: ReactNode
}

/** Whether the files of a session can be read, or why not. */
function stateOf({ session, problem, isClosed }: OpenFiles): 'opening' | 'ready' | 'failed' {
  if (isClosed || problem || session?.status === 'failed') return 'failed'
  return session?.status === 'ready' ? 'ready' : 'opening'
}

/** The states of a session before and after its files can be read. */
function Opened({ opened: { session, problem, isClosed, openAgain }, text, children }: OpenedProps) {
  const t = useT('storage')
  const shell = useT('shell')
  if (isClosed)
    return (
      <EmptyState action={<Button onPress={openAgain}>{t('backups.files.openAgain')}</Button>}>
        {t('backups.files.closed', { minutes: FILES_SESSION_MINUTES })}
      </EmptyState>
    )
  if (problem)
    return (
      <ErrorPanel
        title={t('backups.files.failed')}
        why={problemText(problem, shell)}
        id={problem.requestId}
        onRetry={openAgain}
      />
    )
  if (session?.status === 'failed')
    return (
      <Banner
        tone="bad"
        title={t('backups.files.failed')}
        action={<Button onPress={openAgain}>{t('backups.files.openAgain')}</Button>}
      >
        {session.fault}
      </Banner>
    )
  if (session?.status !== 'ready')
    return (
      <div className={css.opening}>
        <ProgressBar label={text} share={typeof session?.progress === 'number' ? session.progress / 100 : null} />
      </div>
    )
  return children
}

function FileSystems({ point }: { point: VolumeBackup }) {
  const t = useT('storage')
  const view = useView(backupFiles.fileSystems, { id: point.id })
  useClosedFiles(view.problem)
  return (
    <ViewContent view={view}>
      {(all) =>
        all.length === 0 ? (
          <EmptyState>{t('backups.files.noFileSystem')}</EmptyState>
        ) : (
          <Files point={point} fileSystems={all} />
        )
      }
    </ViewContent>
  )
}

function Files({ point, fileSystems }: { point: VolumeBackup; fileSystems: readonly FileSystem[] }) {
  const t = useT('storage')
  const format = useFormat()
  const go = useAppNavigate()
  const [asked, path = '/', compare] = [useSearchParam('system'), useSearchParam('path'), useSearchParam('compare')]
  const chosen = fileSystems.find(({ id, readable }) => readable && id === asked) ?? firstReadable(fileSystems)
  const others = useList(volumeBackups.list, volumeBackupKind, {
    ...{ stateIn: 'memory', limit: 100, only: { volume_id: point.volume_id } },
  }).rows.filter((one) => one.id !== point.id && isRestorable(one) && one.damaged_by === null)
  const other = others.find(({ id }) => id === compare)
  const otherOpened = useFilesSession(other?.id)
  const to = paths.below(point.id, 'files')
  const searchOf = (folder: string, system = chosen?.id, compared = compare) => ({
    ...(system !== undefined && { system }),
    ...(folder !== '/' && { path: folder }),
    ...(compared !== undefined && compared !== NOT_COMPARED && { compare: compared }),
  })
  /** The recovery point that was compared with before is closed, because a project can have only a few open. */
  async function compareWith(id: string) {
    if (other) await call(backupFiles.close, { params: { id: other.id } }).catch(() => undefined)
    go(to, { search: searchOf(path, chosen?.id, id) })
  }
  const place = { pointId: point.id, fileSystem: chosen?.id ?? '', path }
  const at = `${chosen?.id} ${path}`
  const [previewed, preview] = useState<{ at: string; file: FileEntry }>()
  return (
    <>
      <div className={css.bar}>
        <Select
          label={t('backups.files.system')}
          className={css.choice}
          value={chosen?.id ?? null}
          placeholder={t('backups.files.noneReadable')}
          items={fileSystems.map((one) => ({
            id: one.id,
            label: one.label ?? one.id,
            description: fileSystemText(one, t, format),
            disabledBecause: unreadableText(one, t),
          }))}
          onChange={(system) => go(to, { search: searchOf('/', system) })}
        />
        {others.length > 0 && (
          <Select
            label={t('backups.files.compareWith')}
            className={css.choice}
            value={other?.id ?? NOT_COMPARED}
            items={[
              { id: NOT_COMPARED, label: t('backups.files.notCompared') },
              ...others.map(({ id, name, taken_at }) => ({ id, label: format.dateTime(taken_at), description: name })),
            ]}
            onChange={(compared) => void compareWith(compared)}
          />
        )}
      </div>
      {other && (
        <Opened opened={otherOpened} text={t('backups.files.openingOther')}>
          <p className={css.note}>{t('backups.files.comparedNote', { time: format.dateTime(other.taken_at) })}</p>
        </Opened>
      )}
      {chosen ? (
        <>
          <FolderPath name={chosen.label ?? chosen.id} path={path} to={to} searchOf={(folder) => searchOf(folder)} />
          <FolderTable
            // resets the search and the selection when the folder changes
            key={`${chosen.id} ${path} ${compare}`}
            place={place}
            comparedWith={stateOf(otherOpened) === 'ready' ? other?.id : undefined}
            to={to}
            searchOf={(folder) => searchOf(folder)}
            onPreview={(file) => preview({ at, file })}
          />
          {previewed?.at === at && (
            <FileDrawer
              key={previewed.file.path}
              place={place}
              file={previewed.file}
              points={others}
              compared={other && { id: other.id, state: stateOf(otherOpened) }}
              onCompare={(id) => void compareWith(id)}
              onClose={() => preview(undefined)}
            />
          )}
        </>
      ) : (
        <EmptyState>{t('backups.files.noneReadable')}</EmptyState>
      )}
    </>
  )
}
