import { useT } from '../../i18n/use-t'
import { LockIcon } from '../../ui/icons'
import { VisuallyHidden } from '../../ui/VisuallyHidden'
import css from './LockMark.module.css'

/** Icon next to the name of a row that is locked against deletion. */
export function LockMark() {
  const t = useT('patterns')
  return (
    <span className={css.mark} title={t('lock.locked')}>
      <LockIcon />
      <VisuallyHidden>{t('lock.locked')}</VisuallyHidden>
    </span>
  )
}
