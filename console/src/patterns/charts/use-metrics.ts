import { useQuery } from '@tanstack/react-query'
import { metricQueries } from '@mainstay/contract/monitoring/metric-queries'
import { call } from '../../api/call'
import { viewKey } from '../../api/keys'
import { asProblem, type CallProblem } from '../../api/problem'
import { timesOf, valuesOf, type MetricSeries } from './metric-series'
import { meanOver, ranges, windowOf, type RangeId } from './ranges'

export interface FiguresView {
  data: MetricSeries | undefined
  problem: CallProblem | undefined
  reload: () => void
}

/** Shortest refresh interval; new points do not arrive more often. */
const soonestMs = 30_000

/** The data for a chart: one PromQL expression per series. Refreshed while the chart is shown. */
export function useMetrics(expressions: readonly string[], range: RangeId): FiguresView {
  const { data, error, refetch } = useQuery({
    queryKey: viewKey('', metricQueries.range, {}, { range, expressions }),
    async queryFn({ signal }): Promise<MetricSeries> {
      const window = windowOf(range, Date.now())
      const times = { start: String(window.start), end: String(window.end), step: String(window.step) }
      const answers = await Promise.all(
        expressions.map((it) =>
          call(metricQueries.range, { query: { ...times, query: meanOver(it, window.step) } }, { signal }),
        ),
      )
      return { times: timesOf(window), rows: answers.map((it) => valuesOf(it, window)) }
    },
    refetchInterval: Math.max(soonestMs, (ranges[range].step * 1000) / 2),
    retry: false,
  })
  return {
    data,
    problem: error && data === undefined ? asProblem(error) : undefined,
    reload: () => void refetch(),
  }
}
