export interface SparklineBox {
  width: number
  height: number
  low?: number | undefined
  high?: number | undefined
}

/**
 * Returns a line and an area for each run of values without gaps. A single value becomes a dot (a zero-length line with
 * round caps).
 */
export function sparklinePaths(values: readonly (number | null)[], { width, height, low = 0, high }: SparklineBox) {
  const top = high ?? Math.max(low, ...values.filter((value) => value !== null))
  const range = top - low || 1
  const step = values.length > 1 ? width / (values.length - 1) : 0
  const round = (number: number) => Math.round(number * 100) / 100
  const x = (index: number) => round(values.length > 1 ? index * step : width / 2)
  // inset by 1 px, so that the line is not cut off at the ends of the scale
  const y = (value: number) => round(height - 1 - ((Math.min(top, Math.max(low, value)) - low) / range) * (height - 2))

  const runs: { index: number; value: number }[][] = []
  let run: { index: number; value: number }[] | undefined
  for (const [index, value] of values.entries()) {
    if (value === null) {
      run = undefined
      continue
    }
    if (!run) runs.push((run = []))
    run.push({ index, value })
  }

  return runs.map((points) => {
    const first = points[0]?.index ?? 0
    const last = points.at(-1)?.index ?? 0
    const line = points.map(({ index, value }) => `${x(index)} ${y(value)}`).join('L')
    const tail = points.length === 1 ? `L${line}` : ''
    return { line: `M${line}${tail}`, area: `M${x(first)} ${height}L${line}L${x(last)} ${height}Z` }
  })
}
