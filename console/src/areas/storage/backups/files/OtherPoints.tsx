import { useId, useState } from 'react'
import { backupFiles, type FileEntry } from '@mainstay/contract/storage/backup-files'
import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { useView } from '../../../../api/use-view'
import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import { Button } from '../../../../ui/Button'
import { StatusBadge } from '../../../../ui/values/StatusBadge'
import type { FolderPlace } from './download'
import { comparedStatus } from './file-words'
import css from './files.module.css'

/** The recovery point that the page compares with. */
interface ComparedPoint {
  id: string
  state: 'opening' | 'ready' | 'failed'
}

export interface OtherPointsProps {
  place: FolderPlace
  file: FileEntry
  /** Other recovery points of the volume, the newest first. */
  points: readonly VolumeBackup[]
  compared: ComparedPoint | undefined
  /** Opens another recovery point and compares with it, instead of with the one before. */
  onCompare: (id: string) => void
}

type Result = Pick<FileEntry, 'compared'>

/** The same file in other recovery points of the volume, of which the user opens one after the other. */
export function OtherPoints({ place, file, points, compared, onCompare }: OtherPointsProps) {
  const t = useT('storage')
  const format = useFormat()
  const titleId = useId()
  const [earlier, keep] = useState<Readonly<Record<string, Result>>>({})
  const isReady = compared?.state === 'ready'
  const view = useView(
    backupFiles.entries,
    { id: place.pointId },
    // the same question as that of the table, so it is asked only once
    {
      query: { file_system: place.fileSystem, path: place.path, ...(compared && { compare_with: compared.id }) },
      isEnabled: isReady,
    },
  )
  const found = view.data?.entries.find(({ path }) => path === file.path)
  const results = isReady && view.data ? { ...earlier, [compared.id]: found ?? { compared: null } } : earlier
  return (
    <section aria-labelledby={titleId}>
      <h3 id={titleId}>{t('backups.files.others')}</h3>
      <p className={css.note}>{t('backups.files.othersNote')}</p>
      <ul className={css.points} aria-live="polite">
        {points.map(({ id, name, taken_at }) => (
          <li key={id} tabIndex={-1}>
            <span title={name}>{format.dateTime(taken_at)}</span>
            {results[id] ? (
              <Outcome result={results[id]} />
            ) : compared?.id === id && compared.state !== 'failed' ? (
              <StatusBadge tone="busy">{t('backups.files.comparing')}</StatusBadge>
            ) : (
              <Button
                size="small"
                aria-label={t('backups.files.compareOne', { time: format.dateTime(taken_at) })}
                onPress={({ target }) => {
                  // the result replaces the button
                  target.closest('li')?.focus()
                  keep(results)
                  onCompare(id)
                }}
              >
                {t('backups.files.compare')}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Outcome({ result }: { result: Result }) {
  const t = useT('storage')
  const status = comparedStatus(result, t)
  return <StatusBadge tone={status?.tone ?? 'idle'}>{status?.text ?? t('backups.unknown')}</StatusBadge>
}
