import { useFirstAnswers } from '../../api/first-answers'
import { useList } from '../../api/use-list'
import { useFormat } from '../../i18n/use-format'
import { useT } from '../../i18n/use-t'
import type { MenuCount } from '../../nav/route'
import { AlertsIcon } from '../../ui/icons'
import css from './menu.module.css'

interface AlertMarkProps {
  count: MenuCount
  /** ID of the element whose text describes the link. */
  id: string
  /** Shows a dot on the icon of a group instead of a number at the end of an entry. */
  isDot?: boolean
}

/** Number of alerts on a menu link: an icon with the number, or a dot, with text for screen readers. */
export function AlertMark({ count: { call, kind, only }, id, isDot = false }: AlertMarkProps) {
  const t = useT('shell')
  const format = useFormat()
  // wait until the first page has its data
  const isEnabled = useFirstAnswers()
  const { total = 0 } = useList(call, kind, { stateIn: 'memory', limit: 1, only, isEnabled })
  return (
    <>
      {total > 0 &&
        (isDot ? (
          <span className={css.dot} aria-hidden="true" />
        ) : (
          <span className={css.count} aria-hidden="true">
            <AlertsIcon />
            {format.number(total)}
          </span>
        ))}
      <span id={id} hidden>
        {total > 0 && t('menu.alertCount', { count: total })}
      </span>
    </>
  )
}
