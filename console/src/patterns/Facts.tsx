import type { ReactNode } from 'react'
import css from './Facts.module.css'

export type Fact = readonly [label: string, value: ReactNode]

export interface FactsProps {
  /** Rows that are `false` or `null` are left out, so that one may depend on a condition; such a value is a dash. */
  rows: readonly (Fact | false | null | undefined)[]
  title?: string | undefined
  actions?: ReactNode
}

const isNothing = (value: ReactNode): boolean =>
  value === '' || value === null || value === undefined || value === false

/** A text as a value keeps its own direction: "2h 5m" would turn round among Arabic words. */
const shown = (value: ReactNode) => (isNothing(value) ? '–' : typeof value === 'string' ? <bdi>{value}</bdi> : value)

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
              <dd>{shown(row[1])}</dd>
            </div>
          ),
      )}
    </dl>
  </section>
)
