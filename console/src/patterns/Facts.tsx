import type { ReactNode } from 'react'
import css from './Facts.module.css'

export type Fact = readonly [label: string, value: ReactNode]

export interface FactsProps {
  /**
   * Rows that are `false` or `null` are omitted, which allows conditional rows. An empty value within a row is shown as
   * a dash.
   */
  rows: readonly (Fact | false | null | undefined)[]
  title?: string | undefined
  actions?: ReactNode
}

const isNothing = (value: ReactNode): boolean =>
  value === '' || value === null || value === undefined || value === false

/** Isolates text from the surrounding text direction: in Arabic text, "2h 5m" would be reordered. */
const shown = (value: ReactNode) => (isNothing(value) ? '–' : typeof value === 'string' ? <bdi>{value}</bdi> : value)

/** Properties of an object, as labels and values. */
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
