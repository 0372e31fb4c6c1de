import type { MetricAnswer } from '@mainstay/contract/monitoring/metric-queries'

/** Values at evenly spaced times; null where nothing is known. */
export interface MetricSeries {
  /** Seconds since 1970. */
  times: readonly number[]
  /** One row for each series of a chart. */
  rows: readonly (readonly (number | null)[])[]
}

interface Window {
  start: number
  end: number
  step: number
}

export const timesOf = ({ start, end, step }: Window): number[] =>
  Array.from({ length: Math.floor((end - start) / step) + 1 }, (_, at) => start + at * step)

/** The first series of an answer, on the times of the window. Gaps stay gaps. */
export function valuesOf({ data }: MetricAnswer, window: Window): (number | null)[] {
  const points = data.resultType === 'matrix' ? (data.result[0]?.values ?? []) : []
  const known = new Map(points.map(([time, text]) => [Math.round(time), Number(text)]))
  return timesOf(window).map((time) => {
    const value = known.get(time)
    return value === undefined || !Number.isFinite(value) ? null : value
  })
}

/** The newest value of a row that is known. */
export const lastOf = (row: readonly (number | null)[]): number | null =>
  row.findLast((value) => value !== null) ?? null
