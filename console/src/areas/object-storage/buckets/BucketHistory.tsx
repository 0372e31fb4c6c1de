import { useQuery } from '@tanstack/react-query'
import { s3History } from '@mainstay/contract/object-storage/s3-history'
import { asProblem } from '../../../api/problem'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { ChartsMissing, ChartView } from '../../../patterns/charts/ChartGrid'
import { timesOf } from '../../../patterns/charts/metric-series'
import { RangeChoice, useRange } from '../../../patterns/charts/RangeChoice'
import { ranges, windowOf, type RangeId } from '../../../patterns/charts/ranges'
import { callS3 } from '../client/runs'
import { s3Query } from '../keys'
import css from './buckets.module.css'

/** The server measures buckets once a minute. */
const SOONEST_MS = 60_000
const HEIGHT = 150

/** A bucket's size and object count over time; refetched automatically. */
function useHistory(bucket: string, range: RangeId) {
  const { data, error, refetch } = useQuery({
    queryKey: [...s3Query.bucket(bucket, 'history'), range],
    async queryFn({ signal }) {
      const window = windowOf(range, Date.now())
      const query = { start: String(window.start), end: String(window.end), step: String(window.step) }
      const { size, objects } = await callS3(s3History.view, { params: { bucket }, query }, { signal })
      return { times: timesOf(window), size, objects }
    },
    refetchInterval: Math.max(SOONEST_MS, (ranges[range].step * 1000) / 2),
    retry: false,
  })
  return {
    data,
    problem: error && data === undefined ? asProblem(error) : undefined,
    reload: () => void refetch(),
  }
}

/** Charts of a bucket's size and object count. */
export function BucketHistory({ bucket }: { bucket: string }) {
  const t = useT('objectStorage')
  const format = useFormat()
  const [range, setRange] = useRange()
  const { data, problem, reload } = useHistory(bucket, range)
  // the object storage engine does not provide bucket metrics
  if (problem?.code === 'unsupported') return null
  const view = (row: 'size' | 'objects') => ({
    data: data && { times: data.times, rows: [data[row]] },
    ...{ problem, reload },
  })
  const [size, objects] = [t('overview.size'), t('overview.objects')]
  return (
    <section className={css.history}>
      <div className={css.historyHead}>
        <h2>{t('overview.history')}</h2>
        <RangeChoice range={range} onChange={setRange} />
      </div>
      <p className={css.note}>{t('overview.historyHelp')}</p>
      {problem?.code === 'metrics_missing' ? (
        <ChartsMissing message={problem.message} />
      ) : (
        <div className={css.columns}>
          <ChartView
            title={size}
            series={[size]}
            view={view('size')}
            format={(bytes) => format.bytes(bytes)}
            isBinary
            {...{ range, height: HEIGHT }}
          />
          <ChartView
            title={objects}
            series={[objects]}
            view={view('objects')}
            format={(count) => format.number(Math.round(count))}
            {...{ range, height: HEIGHT }}
          />
        </div>
      )}
    </section>
  )
}
