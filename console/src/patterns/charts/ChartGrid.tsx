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
  /** What each line is called, and asked for. */
  series: readonly { name: string; query: string }[]
  format: (value: number) => string
  high?: number | undefined
  /** Of bytes: the axis is divided by powers of two. */
  isBinary?: boolean | undefined
}

interface ChartGridProps {
  charts: readonly ChartSpec[]
  range: RangeId
  /** Low charts close to one another, beside other things. */
  isCompact?: boolean
}

/** Charts of one page over one time. Where there is no store of figures, one line says so in place of all of them. */
export function ChartGrid({ charts, range, isCompact = false }: ChartGridProps) {
  // the same question as that of the first chart, asked once
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
  /** What each line is called. */
  series: readonly string[]
  view: FiguresView
  range: RangeId
  height: number
}

/** One chart, on its way, or why it is not there. */
export function ChartView({ title, series, format, high, isBinary, view, range, height }: ChartViewProps) {
  const t = useT('monitoring')
  const shell = useT('shell')
  const { data, problem, reload } = view
  // a line in place of all charts is on its way
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

/** In place of charts where there is no store of figures. */
export function ChartsMissing({ message }: { message: string }) {
  const t = useT('monitoring')
  return (
    <p className={css.missing} role="note">
      {t('chart.missing')} <span>{message}</span>
    </p>
  )
}
