import { useState, type CSSProperties, type KeyboardEvent } from 'react'
import type { MachineDay, MachineDays } from '@mainstay/contract/storage/backup-days'
import { dayAt } from '@mainstay/contract/storage/local-days'
import { useFormat } from '../../../../i18n/use-format'
import { useLanguage } from '../../../../i18n/language'
import { useT } from '../../../../i18n/use-t'
import { classes } from '../../../../lib/classes'
import { Link } from '../../../../nav/Link'
import { useAppNavigate } from '../../../../nav/use-app-navigate'
import { StatusBadge } from '../../../../ui/values/StatusBadge'
import { instanceResource } from '../../../compute/instances/resource'
import { volumeBackupResource } from '../resource'
import { countsText, stateText } from './machine-words'
import { VisuallyHidden } from '../../../../ui/VisuallyHidden'
import css from './ProtectionGrid.module.css'
import { dayName, dayNumber, shortDay } from './month'
import { stepOf, useCellFocus } from './use-grid-keys'

interface ProtectionGridProps {
  machines: readonly MachineDays[]
  days: readonly string[]
  zone: string
}

/** Where a cell is. The column of the virtual machine is before the days. */
interface Place {
  row: number
  column: number
}
const keyOf = ({ row, column }: Place) => `${row} ${column}`

/**
 * Virtual machines by day. The grid is a single tab stop: arrow keys move between cells, and Enter opens the recovery
 * points of a day, or the protection of a virtual machine.
 */
export function ProtectionGrid({ machines, days, zone }: ProtectionGridProps) {
  const t = useT('storage')
  const { tag } = useLanguage()
  const go = useAppNavigate()
  const { cell, focus } = useCellFocus()
  const [at, setAt] = useState<Place>({ row: 0, column: days.length })
  const current = { row: Math.min(at.row, machines.length - 1), column: Math.min(at.column, days.length) }

  const entryAt = (machine: MachineDays, day: string | undefined) => machine.days.find((it) => it.day === day)
  const chosen = machines[current.row]!
  const chosenDay = days[current.column - 1]

  function walk(event: KeyboardEvent<HTMLElement>) {
    const step = stepOf(event)
    if (event.key === 'Enter' && chosenDay !== undefined) {
      event.preventDefault()
      const entry = entryAt(chosen, chosenDay)
      if (entry) go(volumeBackupResource.paths.view(entry.point_id))
      return
    }
    const row = current.row + (step?.rows ?? 0)
    const column = event.key === 'Home' ? 0 : event.key === 'End' ? days.length : current.column + (step?.columns ?? 0)
    if (!step && !['Home', 'End'].includes(event.key)) return
    event.preventDefault()
    if (row < 0 || row >= machines.length || column < 0 || column > days.length) return
    setAt({ row, column })
    focus(event.currentTarget, keyOf({ row, column }))
  }
  return (
    <div className={css.panel}>
      <div
        role="grid"
        tabIndex={-1}
        aria-label={t('backups.show.machines')}
        className={css.grid}
        style={{ '--days': days.length } as CSSProperties}
        onKeyDown={walk}
      >
        <div role="row" className={classes(css.row, css.header)}>
          <span role="columnheader">{t('volumes.vm.one')}</span>
          {days.map((day, index) => (
            <span key={day} role="columnheader" className={css.date}>
              <VisuallyHidden>{dayName(day, tag)}</VisuallyHidden>
              <span aria-hidden>{dateLabel(day, index, days, tag)}</span>
            </span>
          ))}
          <span role="columnheader" className={css.last}>
            {t('backups.machines.last')}
          </span>
        </div>
        {machines.map((machine, row) => (
          <div key={machine.id} role="row" className={css.row}>
            <span
              role="rowheader"
              data-cell={keyOf({ row, column: 0 })}
              className={css.name}
              onFocus={() => setAt({ row, column: 0 })}
            >
              <Link
                to={instanceResource.paths.below(machine.id, 'protection')}
                dir="auto"
                tabIndex={keyOf({ row, column: 0 }) === keyOf(current) ? 0 : -1}
              >
                {machine.name}
              </Link>
            </span>
            {days.map((day, index) => {
              const entry = entryAt(machine, day)
              const place = { row, column: index + 1 }
              return (
                <button
                  key={day}
                  ref={cell}
                  type="button"
                  role="gridcell"
                  data-cell={keyOf(place)}
                  tabIndex={keyOf(place) === keyOf(current) ? 0 : -1}
                  aria-label={`${dayName(day, tag)}: ${stateText(entry?.state ?? 'none', t)}`}
                  aria-selected={keyOf(place) === keyOf(current)}
                  className={classes(css.cell, css[entry?.state ?? 'none'])}
                  onClick={() => setAt(place)}
                  onFocus={() => setAt(place)}
                />
              )
            })}
            <LastWhole machine={machine} zone={zone} until={days.at(-1)!} />
          </div>
        ))}
      </div>
      <ChosenLine machine={chosen} day={chosenDay} entry={entryAt(chosen, chosenDay)} />
    </div>
  )
}

/** The number of a day, or the month where it begins. In wide grids, only every third day has one. */
function dateLabel(day: string, index: number, days: readonly string[], tag: string): string {
  if (days.length <= 7) return dayNumber(day, tag)
  if (index > 0 && dayNumber(day, 'en') === '1') return shortDay(day, tag)
  return (days.length - 1 - index) % 3 === 0 ? dayNumber(day, tag) : ''
}

function LastWhole({ machine, zone, until }: { machine: MachineDays; zone: string; until: string }) {
  const t = useT('storage')
  const format = useFormat()
  const { last_whole_at: last } = machine
  return (
    <span role="gridcell" className={css.last}>
      {last === null ? (
        <StatusBadge tone="bad">{t('backups.machines.never')}</StatusBadge>
      ) : dayAt(Date.parse(last), zone) === until ? (
        format.time(last)
      ) : (
        format.day(last)
      )}
    </span>
  )
}

interface ChosenLineProps {
  machine: MachineDays
  day: string | undefined
  entry: MachineDay | undefined
}

/** What the chosen cell says, with a link to the recovery point that shows it. */
function ChosenLine({ machine, day, entry }: ChosenLineProps) {
  const t = useT('storage')
  const format = useFormat()
  const { tag } = useLanguage()
  if (day === undefined) return null
  return (
    <div className={css.chosen} role="status">
      <span>
        <b>
          <bdi>{machine.name}</bdi>
        </b>
        {', '}
        {dayName(day, tag)}
      </span>
      <span>{stateText(entry?.state ?? 'none', t)}</span>
      {entry && (
        <>
          <span className={css.dim}>{countsText(entry, t, format.list)}</span>
          <Link to={volumeBackupResource.paths.view(entry.point_id)}>{t('backups.machines.open')}</Link>
        </>
      )}
    </div>
  )
}
