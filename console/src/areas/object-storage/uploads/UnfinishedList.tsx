import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { sessionNow } from '../../../session/session'
import { Button } from '../../../ui/Button'
import { ProgressBar } from '../../../ui/feedback/ProgressBar'
import { FileButton } from '../../../ui/fields/FileButton'
import { IconButton } from '../../../ui/IconButton'
import { CloseIcon, FileAgainIcon } from '../../../ui/icons'
import { Bytes } from '../../../ui/values/Bytes'
import { visible } from '../files/file-row'
import { placeOf, storedPercent } from './file-upload'
import { discardUnfinished, resume, resumeAmong, resumeWith, restartUpload, type Unfinished } from './unfinished'
import css from './uploads.module.css'

/** Unfinished uploads, each of which can be resumed or discarded. */
export function UnfinishedList({ unfinished, most }: { unfinished: readonly Unfinished[]; most: number }) {
  const t = useT('objectStorage')
  const more = unfinished.length - most
  const toChoose = unfinished.filter(({ record }) => record.handle === null)
  return (
    <section className={css.group} aria-label={t('unfinished.title', { count: unfinished.length })}>
      <div className={css.groupHead}>
        <h3>{t('unfinished.heading')}</h3>
        {toChoose.length > 1 && (
          <FileButton size="small" allowsMultiple onSelect={(files) => void resumeAmong(files)}>
            {t('unfinished.chooseMany')}
          </FileButton>
        )}
      </div>
      <ul className={css.list}>
        {unfinished.slice(0, most).map((it) => (
          <UnfinishedLine key={it.record.id} unfinished={it} />
        ))}
      </ul>
      {more > 0 && <p className={css.more}>{t('delete.more', { count: more })}</p>}
    </section>
  )
}

function UnfinishedLine({ unfinished: { record, obstacle, file, isBusy } }: { unfinished: Unfinished }) {
  const t = useT('objectStorage')
  const format = useFormat()
  const { id, bucket, key, size, handle, project } = record
  const { name, folderPath } = placeOf(key)
  const shown = visible(name)
  const share = storedPercent(record) / 100
  const stored = format.percent(share, 0)
  const other = project && project.id !== sessionNow().project?.id ? project.name : undefined
  const isLost = obstacle !== undefined
  return (
    <li className={css.line} data-status={isLost ? 'FAILED' : 'UNFINISHED'}>
      <FileAgainIcon />
      <div className={css.words}>
        <span className={css.first}>
          <bdi className={css.name}>{shown}</bdi>
          <span className={css.state}>
            {obstacle === 'ended' ? '' : share > 0 ? t('unfinished.stored', { stored }) : t('unfinished.nothing')}
          </span>
        </span>
        {share > 0 && obstacle !== 'ended' && (
          <ProgressBar isBare label={t('unfinished.storedOf', { stored, name: shown })} share={share} />
        )}
        <span className={css.note}>
          <bdi>{`${bucket}/${visible(folderPath)}`}</bdi>{' '}
          {other === undefined ? (
            <Bytes of={size} />
          ) : (
            <span>{t('unfinished.project', { size: <Bytes key="size" of={size} />, project: other })}</span>
          )}
        </span>
        {obstacle && (
          <span className={css.fault} role="alert">
            {t(`unfinished.${obstacle}`, { file: visible(file?.name ?? shown) })}
          </span>
        )}
        <span className={css.choices}>
          {handle && !isLost && (
            <Button
              size="small"
              isBusy={isBusy}
              aria-label={t('unfinished.resumeOf', { name: shown })}
              onPress={() => void resume(id)}
            >
              {t('unfinished.resume')}
            </Button>
          )}
          {file && obstacle && obstacle !== 'missing' && (
            <Button size="small" isBusy={isBusy} onPress={() => void restartUpload(id, file)}>
              {t('unfinished.anew')}
            </Button>
          )}
          {(handle === null || isLost) && (
            <FileButton
              size="small"
              isBusy={isBusy}
              aria-label={t('unfinished.chooseOf', { name: shown })}
              onSelect={([chosen]) => chosen && void resumeWith(id, chosen)}
            >
              {t('unfinished.choose')}
            </FileButton>
          )}
        </span>
      </div>
      <IconButton
        icon={CloseIcon}
        size="small"
        label={t('unfinished.discard', { name: shown })}
        onPress={() => void discardUnfinished(id)}
      />
    </li>
  )
}
