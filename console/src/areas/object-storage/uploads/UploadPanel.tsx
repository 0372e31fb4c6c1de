import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { Button } from '../../../ui/Button'
import { ProgressBar } from '../../../ui/feedback/ProgressBar'
import { IconButton } from '../../../ui/IconButton'
import { MinusIcon, PauseIcon, StartIcon } from '../../../ui/icons'
import { VisuallyHidden } from '../../../ui/VisuallyHidden'
import { visible } from '../files/file-row'
import { isActive, isOpen, type FileUpload } from './file-upload'
import { abortAll, clearFinished, pauseAll, resumeUploads, useFileUploads } from './queue'
import { bytesOfAll, createSpeedometer } from './speed'
import { useUnfinished } from './unfinished'
import { UnfinishedList } from './UnfinishedList'
import { hideUploads } from './upload-panel'
import { UploadLine } from './UploadLine'
import css from './uploads.module.css'

/** Maximum number of rendered files; unfinished ones come first. */
const MOST_SHOWN = 200

const order: Readonly<Record<FileUpload['status'], number>> = {
  ...{ PROGRESS: 0, FAILED: 1, PENDING: 2, CANCELED: 3, UPLOADED: 4 },
}

/** The upload queue in the corner of the page, with unfinished uploads. Hiding it does not stop any upload. */
export default function UploadPanel() {
  const t = useT('objectStorage')
  const titleId = useId()
  const panel = useRef<HTMLElement>(null)
  const uploads = useFileUploads((state) => state.uploads)
  const unfinished = useUnfinished((state) => state.unfinished)
  const total = uploads.length
  const isRunning = uploads.some(isOpen)
  const loaded = uploads.filter(({ status }) => status === 'UPLOADED').length
  const shown = uploads.toSorted((one, other) => order[one.status] - order[other.status]).slice(0, MOST_SHOWN)
  const nextId = uploads.find(isActive)?.status === 'PROGRESS' ? '' : uploads.find(isActive)?.id
  const title =
    total === 0
      ? t('unfinished.title', { count: unfinished.length })
      : isRunning
        ? t('upload.running', { count: total })
        : t('upload.done', { loaded, total })

  useFocus(panel)
  const isEmpty = total === 0 && unfinished.length === 0
  useEffect(() => {
    if (isEmpty) hideUploads()
  }, [isEmpty])
  const hideByKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    hideUploads()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- handles Escape for all buttons in it
    <section
      ref={panel}
      className={css.panel}
      role="dialog"
      aria-labelledby={titleId}
      tabIndex={-1}
      data-takes-corner
      onKeyDown={hideByKey}
    >
      <header className={css.head}>
        <div className={css.title}>
          <h2 id={titleId}>{title}</h2>
          <Place uploads={uploads} />
        </div>
        {isRunning && <PauseButton uploads={uploads} />}
        <IconButton
          icon={MinusIcon}
          size="small"
          label={t(isRunning ? 'upload.hide' : 'close')}
          onPress={hideUploads}
        />
      </header>
      {isRunning && <Totals uploads={uploads} />}
      <VisuallyHidden>
        <span role="status">{title}</span>
      </VisuallyHidden>
      <div className={css.lines}>
        {unfinished.length > 0 && <UnfinishedList unfinished={unfinished} most={MOST_SHOWN} />}
        <ul className={css.list}>
          {shown.map((upload) => (
            <UploadLine key={upload.id} upload={upload} isNext={upload.id === nextId} />
          ))}
        </ul>
        {total > MOST_SHOWN && <p className={css.more}>{t('delete.more', { count: total - MOST_SHOWN })}</p>}
      </div>
      <footer className={css.foot}>
        <p className={css.note}>{(isRunning || unfinished.length > 0) && t('upload.goesOn')}</p>
        {isRunning && (
          <Button size="small" onPress={abortAll}>
            {t('upload.abortAll')}
          </Button>
        )}
        {uploads.some((it) => !isOpen(it)) && (
          <Button size="small" onPress={clearFinished}>
            {t('upload.clear')}
          </Button>
        )}
      </footer>
    </section>
  )
}

/** Moves focus into the panel when it opens, and back when it is hidden. */
function useFocus(panel: React.RefObject<HTMLElement | null>) {
  useEffect(() => {
    const before = document.activeElement
    const own = panel.current
    own?.focus({ preventScroll: true })
    return () => {
      if (before instanceof HTMLElement && (own?.contains(document.activeElement) || !document.activeElement?.id))
        before.focus({ preventScroll: true })
    }
  }, [panel])
}

/** The target folder, if it is the same for all uploads. */
function Place({ uploads }: { uploads: readonly FileUpload[] }) {
  const t = useT('objectStorage')
  const places = new Set(uploads.map(({ bucketName, folderPath }) => `${bucketName}/${visible(folderPath)}`))
  const [place] = places
  if (places.size !== 1 || place === undefined) return null
  return <p className={css.note}>{t('upload.to', { place })}</p>
}

function PauseButton({ uploads }: { uploads: readonly FileUpload[] }) {
  const t = useT('objectStorage')
  const isGoing = uploads.some(isActive)
  return (
    <Button
      size="small"
      icon={isGoing ? PauseIcon : StartIcon}
      onPress={() => (isGoing ? pauseAll() : resumeUploads())}
    >
      {t(isGoing ? 'upload.pauseAll' : 'upload.resumeAll')}
    </Button>
  )
}

const lookEveryMs = 1000

/** Total progress, speed, and the number of files per state. */
function Totals({ uploads }: { uploads: readonly FileUpload[] }) {
  const t = useT('objectStorage')
  const format = useFormat()
  const [speedometer] = useState(createSpeedometer)
  const [perSecond, setSpeed] = useState(0)
  const { total, done } = bytesOfAll(uploads)
  useEffect(() => {
    const look = () => setSpeed(speedometer.perSecond(useFileUploads.getState().uploads, performance.now()))
    look()
    const timer = setInterval(look, lookEveryMs)
    return () => clearInterval(timer)
  }, [speedometer])
  const count = (of: FileUpload['status']) => uploads.filter(({ status }) => status === of).length
  const [over, failed, waiting] = [count('UPLOADED'), count('FAILED'), count('PENDING')]
  return (
    <div className={css.totals}>
      <ProgressBar isBare label={t('upload.all')} share={total === 0 ? null : done / total} />
      <p>
        <span>{t('upload.bytes', { done: format.bytes(done), total: format.bytes(total) })}</span>
        {perSecond > 0 && (
          <span className={css.note}>
            {t('upload.speed', {
              speed: format.bytes(Math.round(perSecond)),
              left: format.duration(((total - done) / perSecond) * 1000),
            })}
          </span>
        )}
        <span className={css.note}>
          {t('upload.counts', {
            done: format.number(over),
            failed: format.number(failed),
            waiting: format.number(waiting),
          })}
        </span>
      </p>
    </div>
  )
}
