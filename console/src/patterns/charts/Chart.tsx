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
  /** Names of the series, in the order of the rows. */
  series: readonly string[]
  figures: MetricSeries
  range: RangeId
  /** Of the picture, without its caption. */
  height: number
  /** How a value is said. */
  format: (value: number) => string
  /** The upper end of the scale; the highest value where left out. */
  high?: number | undefined
  /** Of bytes: the axis is divided by powers of two. */
  isBinary?: boolean | undefined
}

/** Lines over time, with their values at the cursor, and the same as a table. Time runs to the right in every language. */
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

/** What screen readers find in the caption and in the table. */
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

/** The same numbers, newest first. */
function Table({ title, series, figures, height, format }: TableProps) {
  const t = useT('monitoring')
  const say = useFormat()
  const order = figures.times.map((_, index) => index).toReversed()
  return (
    // scrolled with the keyboard as well
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
