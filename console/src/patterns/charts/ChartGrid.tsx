import { useT } from '../../i18n/use-t'
import { problemText } from '../../api/problem-text'
import { classes } from '../../lib/classes'
import { ErrorPanel } from '../../ui/feedback/ErrorPanel'
import { Skeleton } from '../../ui/feedback/Skeleton'
import { Chart } from './Chart'
import type { RangeId } from './ranges'
import { useMetrics, type FiguresView } from './use-metrics'
import css from './charts.module.css'

export interface ChartSpec {
  title: string
  /** Label and PromQL query for each line. */
  series: readonly { name: string; query: string }[]
  format: (value: number) => string
  high?: number | undefined
  /** For bytes: divides the axis by powers of two. */
  isBinary?: boolean | undefined
}

interface ChartGridProps {
  charts: readonly ChartSpec[]
  range: RangeId
  /** Shorter, closely spaced charts, for use next to other content. */
  isCompact?: boolean
}

/** A page's charts over the same time range. Without a metrics store, a single note replaces all of them. */
export function ChartGrid({ charts, range, isCompact = false }: ChartGridProps) {
  // this hook shares the request of the first chart
  const { problem } = useMetrics(queriesOf(charts[0]), range)
  if (problem?.code === 'metrics_missing') return <ChartsMissing message={problem.message} />
  return (
    <div className={classes(css.grid, isCompact && css.compact)}>
      {charts.map((chart) => (
        <OneChart key={chart.title} chart={chart} range={range} height={isCompact ? 76 : 150} />
      ))}
    </div>
  )
}

const queriesOf = (chart: ChartSpec | undefined): string[] => chart?.series.map(({ query }) => query) ?? []

function OneChart({ chart, range, height }: { chart: ChartSpec; range: RangeId; height: number }) {
  const view = useMetrics(queriesOf(chart), range)
  return <ChartView {...chart} series={chart.series.map(({ name }) => name)} {...{ view, range, height }} />
}

interface ChartViewProps extends Omit<ChartSpec, 'series'> {
  /** Labels of the lines. */
  series: readonly string[]
  view: FiguresView
  range: RangeId
  height: number
}

/** One chart with its loading and error states. */
export function ChartView({ title, series, format, high, isBinary, view, range, height }: ChartViewProps) {
  const t = useT('monitoring')
  const shell = useT('shell')
  const { data, problem, reload } = view
  // ChartGrid then shows one note instead of all charts
  const isMissing = problem?.code === 'metrics_missing'
  if (problem && !isMissing)
    return (
      <ErrorPanel
        title={t('chart.failed')}
        why={problem.code === 'metrics_unavailable' ? t('chart.unavailable') : problemText(problem, shell)}
        id={problem.requestId}
        onRetry={reload}
      />
    )
  if (!data) return <Skeleton height={`${height + 36}px`} />
  return <Chart figures={data} {...{ title, series, range, height, format, high, isBinary }} />
}

/** Note shown instead of charts when no metrics store is configured. `message` is the message from the server. */
export const ChartsMissing = ({ message }: { message: string }) => (
  <p className={css.missing} role="note">
    {message}
  </p>
)
