import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import { useNow } from '../../../../lib/use-now'
import { ClockIcon } from '../../../../ui/icons'
import { CodeBlock } from '../../../../ui/values/CodeBlock'
import css from './registration.module.css'

/** A command that is run on a host, and how long it is valid. */
export function ShownCommand({ command, expiresAt }: { command: string; expiresAt: string | null }) {
  const t = useT('nodes')
  const format = useFormat()
  const now = useNow()
  return (
    <>
      <CodeBlock label={t('add.command')}>{command}</CodeBlock>
      {expiresAt !== null && (
        <p className={css.valid}>
          <ClockIcon />
          {t('add.validUntil', {
            at: format.dateTime(expiresAt),
            left: format.duration(Math.max(0, Date.parse(expiresAt) - now)),
          })}
        </p>
      )}
      <ul className={css.notes}>
        <li>{t('add.note.system')}</li>
        <li>{t('add.note.key')}</li>
        <li>{t('add.note.network')}</li>
      </ul>
    </>
  )
}
