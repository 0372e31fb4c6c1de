import type { ReactNode } from 'react'
import type { AuditChange } from '@mainstay/contract/core/audit-change'
import { useFormat } from '../i18n/use-format'
import { useT } from '../i18n/use-t'
import { VisuallyHidden } from '../ui/VisuallyHidden'
import { StatusBadge } from '../ui/values/StatusBadge'
import type { Tone } from '../ui/tone'
import css from './Timeline.module.css'

export interface HistoryEntry {
  id: string
  at: string
  tone: Tone
  /** Name of the action. */
  title: string
  /** The result, in words. */
  result: string
  /** The error of a failed action. */
  message: string | null
  /** The user who performed the action, and how long it took. */
  by: ReactNode
  /** Formatted field names and values. */
  changes: readonly AuditChange[]
}

/** An object's history, newest first, grouped by day. */
export function Timeline({ happenings }: { happenings: readonly HistoryEntry[] }) {
  const format = useFormat()
  const days = new Map<string, HistoryEntry[]>()
  for (const it of happenings) {
    const day = format.date(it.at)
    days.set(day, [...(days.get(day) ?? []), it])
  }
  return [...days].map(([day, ofDay]) => (
    <section key={day} className={css.day}>
      <h3>{day}</h3>
      <ol>
        {ofDay.map((it) => (
          <li key={it.id} className={css.happening}>
            <div className={css.head}>
              <StatusBadge tone={it.tone}>{it.title}</StatusBadge>
              <VisuallyHidden>{it.result}</VisuallyHidden>
              <time dateTime={it.at} title={format.exact(it.at)}>
                {format.time(it.at)}
              </time>
            </div>
            {it.message && <p className={css.message}>{it.message}</p>}
            {it.changes.length > 0 && <Changes {...it} />}
            <p className={css.by}>{it.by}</p>
          </li>
        ))}
      </ol>
    </section>
  ))
}

/** Changed values. A failed action changed nothing, so only the requested values are shown. */
function Changes({ changes, tone }: Pick<HistoryEntry, 'changes' | 'tone'>) {
  const t = useT('patterns')
  return (
    <dl className={css.changes}>
      {changes.map(({ field, from, to, is_secret }) => (
        <div key={field}>
          <dt>{field}</dt>
          <dd>
            {is_secret ? (
              t('timeline.secret')
            ) : (
              <>
                {from !== null && tone !== 'bad' && (
                  <>
                    <VisuallyHidden>{t('timeline.before')} </VisuallyHidden>
                    <del>
                      <bdi>{from}</bdi>
                    </del>{' '}
                  </>
                )}
                <VisuallyHidden>{t('timeline.after')} </VisuallyHidden>
                <span className={css.to}>{to === null ? <i>{t('timeline.nothing')}</i> : <bdi>{to}</bdi>}</span>
              </>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}
