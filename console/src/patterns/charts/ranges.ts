/** Time ranges of charts, with the step between two points in seconds. */
export const ranges = {
  '1h': { seconds: 3600, step: 30 },
  '24h': { seconds: 86_400, step: 600 },
  '7d': { seconds: 7 * 86_400, step: 3600 },
  '30d': { seconds: 30 * 86_400, step: 4 * 3600 },
} as const
export type RangeId = keyof typeof ranges
export const rangeIds = Object.keys(ranges) as readonly RangeId[]

/** The current window of a range, aligned to whole steps so that points do not move as time passes. */
export function windowOf(range: RangeId, now: number): { start: number; end: number; step: number } {
  const { seconds, step } = ranges[range]
  const end = Math.floor(now / 1000 / step) * step
  return { start: end - seconds, end, step }
}

/** Per-second rate of a counter over five minutes. */
export const rateOf = (selector: string): string => `rate(${selector}[5m])`

/** Averages over the step if it is longer than the five minutes covered by one value. */
export const meanOver = (expression: string, step: number): string =>
  step <= 300 ? expression : `avg_over_time((${expression})[${step}s:5m])`
