import type { ReactNode } from 'react'
import css from './Facts.module.css'

export type Fact = readonly [label: string, value: ReactNode]

export interface FactsProps {
  /** Empty rows (`false`, `null`) are left out, so that a row may depend on a condition. */
  rows: readonly (Fact | false | null | undefined)[]
  title?: string | undefined
  actions?: ReactNode
}

/** What is known of one thing, label beside value. */
export const Facts = ({ rows, title, actions }: FactsProps) => (
  <section className={css.facts}>
    {(title || actions) && (
      <header className={css.head}>
        {title && <h3>{title}</h3>}
        {actions}
      </header>
    )}
    <dl className={css.list}>
      {rows.map(
        (row) =>
          row && (
            <div className={css.row} key={row[0]}>
              <dt>{row[0]}</dt>
              <dd>{row[1] === '' || row[1] === null || row[1] === undefined ? '–' : row[1]}</dd>
            </div>
          ),
      )}
    </dl>
  </section>
)
