import { useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import { useT } from '../../../i18n/use-t'
import type { Key } from '../../../i18n/catalogues'
import { classes } from '../../../lib/classes'
import { SearchField } from '../../../ui/fields/SearchField'
import { cellOf, type AddressCell, type AddressCells, type CellState } from './map'
import { HolderLine } from './HolderLine'
import css from './AddressMap.module.css'

const stateKeys: Readonly<Record<CellState, Key<'networking'>>> = {
  free: 'map.free',
  machine: 'map.machine',
  floating: 'map.floating',
  router: 'map.router',
  other: 'map.other',
  kept: 'map.kept',
}
const shown: readonly CellState[] = ['free', 'machine', 'floating', 'router', 'other', 'kept']

const bold = (chunks: ReactNode[]) => <strong>{chunks}</strong>

const moves: Readonly<Record<string, (at: number, columns: number) => number>> = {
  ArrowRight: (at) => at + 1,
  ArrowLeft: (at) => at - 1,
  ArrowDown: (at, columns) => at + columns,
  ArrowUp: (at, columns) => at - columns,
}

/**
 * Shows every address in a range as a cell: in use, free or reserved. The grid is a single tab stop; arrow keys move
 * between cells.
 */
export function AddressMap({ map, label }: { map: AddressCells; label: string }) {
  const t = useT('networking')
  const [at, setAt] = useState<number | null>(null)
  const [typed, setTyped] = useState('')
  const grid = useRef<HTMLDivElement>(null)
  const { cells, columns, step } = map
  const rows = Math.ceil(cells.length / columns)
  const found = typed === '' ? -1 : cellOf(typed, map)
  const chosen = found >= 0 ? found : at
  const cell = chosen === null ? undefined : cells[chosen]

  const say = ({ first, last, state, holders }: AddressCell) =>
    step === 1
      ? `${first}, ${holders[0]?.object_name || t(stateKeys[state])}`
      : t('map.cell', { range: t('plan.fromTo', { first, last }), used: holders.length, total: step })

  function walk(event: KeyboardEvent) {
    const move = moves[event.key]
    if (!move) return
    event.preventDefault()
    const next = move(chosen ?? 0, columns)
    if (next < 0 || next >= cells.length) return
    setTyped('')
    setAt(next)
    grid.current?.querySelectorAll<HTMLElement>('[role="gridcell"]')[next]?.focus()
  }

  return (
    <div className={css.map}>
      <div className={css.head}>
        <p className={css.counts}>{t('map.counts', { used: map.used, free: map.free, kept: map.kept, b: bold })}</p>
        <SearchField label={t('map.find')} value={typed} onChange={setTyped} />
      </div>
      <div ref={grid} role="grid" tabIndex={-1} aria-label={label} className={css.grid} dir="ltr" onKeyDown={walk}>
        {Array.from({ length: rows }, (_, row) => (
          <div key={row} role="row" className={css.row}>
            <span className={css.start} aria-hidden="true">
              {ending(cells[row * columns]!.first)}
            </span>
            {cells.slice(row * columns, (row + 1) * columns).map((it, column) => {
              const index = row * columns + column
              return (
                <button
                  key={it.first}
                  type="button"
                  role="gridcell"
                  tabIndex={index === (chosen ?? 0) ? 0 : -1}
                  aria-label={say(it)}
                  aria-selected={index === chosen}
                  className={classes(css.cell, css[it.state])}
                  style={step > 1 && it.share > 0 ? { opacity: 0.35 + 0.65 * it.share } : undefined}
                  title={say(it)}
                  onClick={() => {
                    setTyped('')
                    setAt(index)
                  }}
                  onFocus={() => found < 0 && setAt(index)}
                />
              )
            })}
          </div>
        ))}
      </div>
      <ul className={css.legend} aria-hidden="true">
        {shown
          .filter((state) => state === 'free' || cells.some((it) => it.state === state))
          .map((state) => (
            <li key={state}>
              <span className={classes(css.cell, css.sample, css[state])} /> {t(stateKeys[state])}
            </li>
          ))}
      </ul>
      <div className={css.line} role="status">
        {typed !== '' && found < 0 ? (
          t('map.notHere')
        ) : cell ? (
          <HolderLine cell={cell} step={step} state={t(stateKeys[cell.state])} />
        ) : (
          <span className={css.dim}>{t('map.choose')}</span>
        )}
      </div>
    </div>
  )
}

const ending = (address: string) => `.${address.split('.').at(-1)}`
