/** Times that charts show, each with the time between two of its points, seconds. */
export const ranges = {
  '1h': { seconds: 3600, step: 30 },
  '24h': { seconds: 86_400, step: 600 },
  '7d': { seconds: 7 * 86_400, step: 3600 },
  '30d': { seconds: 30 * 86_400, step: 4 * 3600 },
} as const
export type RangeId = keyof typeof ranges
export const rangeIds = Object.keys(ranges) as readonly RangeId[]

/** From when to when a range is now: on whole steps, so that points stay where they are while time goes on. */
export function windowOf(range: RangeId, now: number): { start: number; end: number; step: number } {
  const { seconds, step } = ranges[range]
  const end = Math.floor(now / 1000 / step) * step
  return { start: end - seconds, end, step }
}

/** What a counter grows by in a second, over five minutes. */
export const rateOf = (selector: string): string => `rate(${selector}[5m])`

/** The mean between two points that are further apart than the five minutes that a figure stands for. */
export const meanOver = (expression: string, step: number): string =>
  step <= 300 ? expression : `avg_over_time((${expression})[${step}s:5m])`
