// What a bench file exports: `export async function run(): Promise<Row[]>`. `npm run bench` runs the files one after
// the other, each in a process of its own, and holds the rows against the bounds of baseline.json.

export interface Row {
  /** says what was measured, and is the key in baseline.json */
  name: string
  unit: 'ms' | 's' | 'MB' | 'kB' | 'per second'
  value: number
  /** the same measured in the same run on something to compare with: ratios survive a slow machine, times do not */
  against?: { name: string; value: number }
}

export type Bench = () => Promise<Row[]>

/** The value below which this share of the numbers lies: `quantile(times, 0.95)`. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const value = sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)]
  if (value === undefined) throw new Error('a quantile of nothing')
  return value
}
