import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { Button } from '../../../ui/Button'
import { Dialog } from '../../../ui/overlays/Dialog'
import { visible } from '../files/file-row'
import type { IfExists } from './records'
import css from './uploads.module.css'

interface ConflictDialogProps {
  /** Names that already exist; null if they were not checked. */
  names: readonly string[] | null
  /** Number of files to upload. */
  count: number
  onAnswer: (answer: IfExists | undefined) => void
}

const MOST_NAMES = 8

/** Asks how to handle objects that already exist. */
export function ConflictDialog({ names, count, onAnswer }: ConflictDialogProps) {
  const t = useT('objectStorage')
  const patterns = useT('patterns')
  const format = useFormat()
  return (
    <Dialog
      isOpen
      isFirm
      hasNoCross
      role="alertdialog"
      title={
        names === null
          ? t('conflict.many', { count, shown: format.number(count) })
          : t('conflict.title', { count: names.length, shown: format.number(names.length) })
      }
      onClose={() => onAnswer(undefined)}
      footer={
        <>
          <Button autoFocus onPress={() => onAnswer(undefined)}>
            {patterns('cancel')}
          </Button>
          <Button onPress={() => onAnswer('skip')}>{t('conflict.skip')}</Button>
          <Button onPress={() => onAnswer('both')}>{t('conflict.both')}</Button>
          <Button variant="danger" onPress={() => onAnswer('replace')}>
            {t('conflict.replace')}
          </Button>
        </>
      }
    >
      <div className={css.parts}>
        <p>{t(names === null ? 'conflict.manyText' : 'conflict.text')}</p>
        {names !== null && (
          <ul className={css.names}>
            {names.slice(0, MOST_NAMES).map((name) => (
              <li key={name}>
                <bdi>{visible(name)}</bdi>
              </li>
            ))}
            {names.length > MOST_NAMES && <li>{t('delete.more', { count: names.length - MOST_NAMES })}</li>}
          </ul>
        )}
      </div>
    </Dialog>
  )
}
