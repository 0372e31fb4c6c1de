import type { MetricAnswer } from '@mainstay/contract/monitoring/metric-queries'

/** Values at evenly spaced times; null for gaps. */
export interface MetricSeries {
  /** In seconds since 1970. */
  times: readonly number[]
  /** One row per series in a chart. */
  rows: readonly (readonly (number | null)[])[]
}

interface Window {
  start: number
  end: number
  step: number
}

export const timesOf = ({ start, end, step }: Window): number[] =>
  Array.from({ length: Math.floor((end - start) / step) + 1 }, (_, at) => start + at * step)

/** The values of the first series at the times in the window. Gaps are kept. */
export function valuesOf({ data }: MetricAnswer, window: Window): (number | null)[] {
  const points = data.resultType === 'matrix' ? (data.result[0]?.values ?? []) : []
  const known = new Map(points.map(([time, text]) => [Math.round(time), Number(text)]))
  return timesOf(window).map((time) => {
    const value = known.get(time)
    return value === undefined || !Number.isFinite(value) ? null : value
  })
}

/** The latest known value in a row. */
export const lastOf = (row: readonly (number | null)[]): number | null =>
  row.findLast((value) => value !== null) ?? null
