import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { useNow } from '../../../lib/use-now'
import css from './LostStretch.module.css'

/**
 * Draws the time since a snapshot as a section of a line, to show how much is lost if the volume is reverted to that
 * snapshot.
 */
export function LostStretch({ since }: { since: string }) {
  const t = useT('storage')
  const format = useFormat()
  const now = useNow()
  const lost = t('snapshots.lost', { duration: format.duration(now - Date.parse(since)) })
  return (
    <div className={css.picture} role="img" aria-label={lost}>
      <span className={css.before} />
      <span className={css.lost}>{lost}</span>
      <span className={css.label}>{t('snapshots.kept')}</span>
      <span className={css.ends}>
        <span className={css.label}>{format.dateTime(since)}</span>
        <span className={css.label}>{t('snapshots.nowAt', { time: format.time(now) })}</span>
      </span>
    </div>
  )
}
