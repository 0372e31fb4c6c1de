import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useFormat } from '../../i18n/use-format'
import { useT } from '../../i18n/use-t'
import { Button } from '../../ui/Button'
import { classes } from '../../lib/classes'
import type { Drawing } from './draw'
import { lastOf, type MetricSeries } from './metric-series'
import type { RangeId } from './ranges'
import css from './charts.module.css'

export interface ChartProps {
  title: string
  /** Names of the series, in row order. */
  series: readonly string[]
  figures: MetricSeries
  range: RangeId
  /** Height of the plot without the caption, in pixels. */
  height: number
  format: (value: number) => string
  /** Upper end of the scale; default: derived from the highest value. */
  high?: number | undefined
  /** For bytes: divides the axis by powers of two. */
  isBinary?: boolean | undefined
}

/** Line chart with values at the cursor, and the same data as a table. Time runs left to right in every language. */
export function Chart({ title, series, figures, range, height, format, high, isBinary = false }: ChartProps) {
  const t = useT('monitoring')
  const say = useFormat()
  const [at, setAt] = useState<number | null>(null)
  const [isTable, setTable] = useState(false)
  const isEmpty = figures.rows.every((row) => lastOf(row) === null)
  const moment = at === null ? undefined : figures.times[at]
  const time = (seconds: number) => say[range === '1h' || range === '24h' ? 'time' : 'day'](seconds * 1000)
  const valueOf = (row: readonly (number | null)[] | undefined) => {
    const value = row === undefined ? null : moment === undefined ? lastOf(row) : (row[at!] ?? null)
    return value === null ? '–' : format(value)
  }

  return (
    <figure className={css.chart} aria-label={title}>
      <figcaption className={css.caption}>
        <h3 className={css.title}>{title}</h3>
        {series.map((name, index) => (
          <span key={name} className={css.legend}>
            <i className={classes(css.swatch, css[`series${index + 1}`])} aria-hidden="true" />
            {series.length > 1 && <span>{name}</span>}
            <bdi className={css.value}>{valueOf(figures.rows[index])}</bdi>
          </span>
        ))}
        <span className={css.moment}>{moment !== undefined && say.dateTime(moment * 1000)}</span>
        {!isEmpty && (
          <Button variant="plain" size="small" aria-pressed={isTable} onPress={() => setTable(!isTable)}>
            {t('chart.table')}
          </Button>
        )}
      </figcaption>
      {isEmpty ? (
        <p className={css.nothing} style={{ minBlockSize: height }}>
          {t('chart.nothing')}
        </p>
      ) : isTable ? (
        <Table {...{ title, series, figures, height, format }} />
      ) : (
        <Canvas {...{ figures, height, high, isBinary, time }} value={format} onCursor={setAt} />
      )}
    </figure>
  )
}

interface CanvasProps {
  figures: MetricSeries
  height: number
  high: number | undefined
  isBinary: boolean
  value: (value: number) => string
  time: (seconds: number) => string
  onCursor: (index: number | null) => void
}

/** The plot itself, hidden from screen readers, which use the caption and the table. */
function Canvas({ figures, height, ...options }: CanvasProps) {
  const box = useRef<HTMLDivElement>(null)
  const drawing = useRef<Drawing>(null)
  const newest = useRef({ figures, options })
  useLayoutEffect(() => {
    newest.current = { figures, options }
  })
  const count = figures.rows.length
  const { high, isBinary } = options

  useEffect(() => {
    let isGone = false
    void import('./draw').then(({ draw }) => {
      const place = box.current
      if (isGone || !place) return
      const swatches = [...(place.closest('figure')?.querySelectorAll('i') ?? [])]
      drawing.current = draw(newest.current.figures, {
        ...{ box: place, height, swatches, high, isBinary },
        value: (value) => newest.current.options.value(value),
        time: (seconds) => newest.current.options.time(seconds),
        onCursor: (index) => newest.current.options.onCursor(index),
      })
    })
    return () => {
      isGone = true
      drawing.current?.destroy()
      drawing.current = null
    }
  }, [count, height, high, isBinary])

  useEffect(() => drawing.current?.show(figures), [figures])

  return <div ref={box} className={css.canvas} dir="ltr" aria-hidden="true" style={{ blockSize: height }} />
}

type TableProps = Pick<ChartProps, 'title' | 'series' | 'figures' | 'height' | 'format'>

/** The same values as a table, newest first. */
function Table({ title, series, figures, height, format }: TableProps) {
  const t = useT('monitoring')
  const say = useFormat()
  const order = figures.times.map((_, index) => index).toReversed()
  return (
    // focusable, so that it can be scrolled with the keyboard
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={css.table} tabIndex={0} role="region" aria-label={title} style={{ blockSize: height }}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('chart.time')}</th>
            {series.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {order.map((index) => (
            <tr key={figures.times[index]}>
              <th scope="row">{say.dateTime(figures.times[index]! * 1000)}</th>
              {figures.rows.map((row, of) => (
                <td key={series[of]}>
                  <bdi>{row[index] == null ? '–' : format(row[index])}</bdi>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
