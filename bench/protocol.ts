// Each bench file exports `async function run(): Promise<Row[]>`. `npm run bench` runs the files one after another,
// each in its own process, and checks the rows against the bounds in baseline.json.

export interface Row {
  /** description of the measurement, which is also its key in baseline.json */
  name: string
  unit: 'ms' | 's' | 'MB' | 'kB' | 'per second' | '%'
  value: number
  /** the reference value from the same run: unlike absolute times, ratios stay comparable on a slow machine */
  against?: { name: string; value: number }
}

export type Bench = () => Promise<Row[]>

/** Returns a quantile of the values. `share` is between 0 and 1: `quantile(times, 0.95)` is the 95th percentile. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const value = sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)]
  if (value === undefined) throw new Error('a quantile of nothing')
  return value
}
