import type { Statement } from '@mainstay/contract/infrastructure/node-rules'
import { useFormat } from '../../../../i18n/use-format'
import { saidText } from '../../../../i18n/said'
import { useT } from '../../../../i18n/use-t'
import { useNow } from '../../../../lib/use-now'
import { Banner } from '../../../../ui/feedback/Banner'
import { ClockIcon } from '../../../../ui/icons'
import { CodeBlock } from '../../../../ui/values/CodeBlock'
import css from './registration.module.css'

interface ShownCommandProps {
  command: string
  expiresAt: string | null
  /** A risk of running the command, such as a connection without TLS. */
  warning: Statement | null
}

/** Shows a command to run on a host, and how long it is valid. */
export function ShownCommand({ command, expiresAt, warning }: ShownCommandProps) {
  const t = useT('nodes')
  const format = useFormat()
  const now = useNow()
  return (
    <>
      {warning && <Banner tone="warn">{saidText(warning, warning.message)}</Banner>}
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
