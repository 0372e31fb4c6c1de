import { useState, type KeyboardEvent } from 'react'
import { dayAfter } from '@mainstay/contract/storage/local-days'
import type { PointDay } from '@mainstay/contract/storage/backup-days'
import { useFormat } from '../../../../i18n/use-format'
import { useLanguage } from '../../../../i18n/language'
import { useT } from '../../../../i18n/use-t'
import { classes } from '../../../../lib/classes'
import { ClockIcon } from '../../../../ui/icons'
import { toneIcons, type Tone } from '../../../../ui/tone'
import tones from '../../../../ui/tone.module.css'
import { VisuallyHidden } from '../../../../ui/VisuallyHidden'
import css from './PointCalendar.module.css'
import { dayName, dayNumber, DAYS_OF_WEEK, monthAfter, monthOf, weekdayName } from './month'
import type { PlannedRun } from './planned'
import { stepOf, useCellFocus } from './use-grid-keys'

interface PointCalendarProps {
  month: string
  /** The days of the month by week. */
  weeks: readonly (readonly string[])[]
  counts: ReadonlyMap<string, PointDay>
  planned: ReadonlyMap<string, readonly PlannedRun[]>
  today: string
  /** The chosen day. */
  day: string
  isLoading: boolean
  onDay: (day: string) => void
  onMonth: (month: string) => void
}

/**
 * A month with what was created on each day, and which plans run on the days to come. The grid is a single tab stop:
 * arrow keys move between days, Page Up and Page Down between months, and Home leads to today.
 */
export function PointCalendar(props: PointCalendarProps) {
  const { month, weeks, counts, planned, today, day, isLoading, onDay, onMonth } = props
  const t = useT('storage')
  const { tag } = useLanguage()
  const { cell, focus } = useCellFocus()
  const shown = weeks.flat()
  // the cell with the focus, or the last one that had it
  const [at, setAt] = useState<string | null>(null)
  const current = [at, day].find((it) => it !== null && shown.includes(it)) ?? `${month}-01`

  function walk(event: KeyboardEvent<HTMLElement>) {
    const step = stepOf(event)
    const pages = { PageUp: -1, PageDown: 1 }[event.key]
    const next = step
      ? dayAfter(current, step.rows * DAYS_OF_WEEK + step.columns)
      : pages
        ? sameDay(current, monthAfter(monthOf(current), pages))
        : event.key === 'Home'
          ? today
          : undefined
    if (next === undefined) return
    event.preventDefault()
    setAt(next)
    if (pages || !shown.includes(next)) onMonth(monthOf(next))
    focus(event.currentTarget, next)
  }
  return (
    <div
      role="grid"
      tabIndex={-1}
      aria-label={t('backups.title')}
      aria-busy={isLoading}
      className={css.grid}
      onKeyDown={walk}
    >
      <div role="row" className={css.week}>
        {weeks[0]!.map((it) => (
          <span key={it} role="columnheader" aria-label={weekdayName(it, tag, 'long')} className={css.weekday}>
            {weekdayName(it, tag, 'short')}
          </span>
        ))}
      </div>
      {weeks.map((week) => (
        <div key={week[0]} role="row" className={css.week}>
          {week.map((it) => (
            <button
              key={it}
              ref={cell}
              type="button"
              role="gridcell"
              data-cell={it}
              tabIndex={it === current ? 0 : -1}
              aria-selected={it === day}
              aria-current={it === today ? 'date' : undefined}
              className={classes(css.day, monthOf(it) !== month && css.outside)}
              onClick={() => onDay(it)}
              onFocus={() => setAt(it)}
            >
              <DayContent day={it} isToday={it === today} counted={counts.get(it)} planned={planned.get(it)} />
            </button>
          ))}
        </div>
      ))}
    </div>
  )
}

/** The same day of another month, or its last day if it is shorter. */
function sameDay(day: string, month: string): string {
  const same = `${month}${day.slice(7)}`
  return monthOf(dayAfter(same, 0)) === month ? same : dayAfter(`${monthAfter(month, 1)}-01`, -1)
}

interface DayContentProps {
  day: string
  isToday: boolean
  counted: PointDay | undefined
  planned: readonly PlannedRun[] | undefined
}

function DayContent({ day, isToday, counted, planned }: DayContentProps) {
  const t = useT('storage')
  const format = useFormat()
  const { tag } = useLanguage()
  const other = counted ? counted.points - counted.restorable - counted.failed - counted.damaged : 0
  return (
    <>
      <span className={css.number} aria-hidden="true">
        <b>{dayNumber(day, tag)}</b>
        {isToday && <span className={css.today}>{t('backups.days.isToday')}</span>}
      </span>
      <VisuallyHidden>{dayName(day, tag)} </VisuallyHidden>
      {counted && (
        <>
          {counted.damaged > 0 && (
            <Count tone="bad" number={counted.damaged} text={t('backups.days.damaged', { count: counted.damaged })} />
          )}
          {counted.failed > 0 && (
            <Count tone="warn" number={counted.failed} text={t('backups.days.failed', { count: counted.failed })} />
          )}
          {counted.restorable > 0 && (
            <Count
              tone="ok"
              number={counted.restorable}
              text={t('backups.days.restorable', { count: counted.restorable })}
              isShort
            />
          )}
          {other > 0 && <Count tone="busy" number={other} text={t('backups.days.inProgress', { count: other })} />}
          {counted.stored_size > 0 && <span className={css.size}>{format.bytes(counted.stored_size)}</span>}
        </>
      )}
      {planned && planned.length > 0 && (
        <span className={css.plans}>
          <ClockIcon className={css.clock} />
          <span className={css.narrow} aria-hidden="true">
            {format.number(planned.length)}
          </span>
          <span className={css.wide}>{t('backups.days.plans', { count: planned.length })}</span>
        </span>
      )}
    </>
  )
}

interface CountProps {
  tone: Tone
  number: number
  text: string
  /** Only the number is visible. */
  isShort?: boolean
}

/** A number of recovery points with an icon. In narrow windows, only the number is visible beside the icon. */
function Count({ tone, number, text, isShort = false }: CountProps) {
  const format = useFormat()
  const Icon = toneIcons[tone]
  return (
    <span className={classes(css.count, tones[tone])}>
      <Icon />
      <span className={isShort ? undefined : css.narrow} aria-hidden="true">
        {format.number(number)}
      </span>
      {isShort ? <VisuallyHidden>{text}</VisuallyHidden> : <span className={css.wide}>{text}</span>}
    </span>
  )
}
