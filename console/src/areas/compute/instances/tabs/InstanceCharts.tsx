import { useState } from 'react'
import { instances, type Instance, type InstanceStat } from '@mainstay/contract/compute/instances'
import { MiB } from '@mainstay/contract/core/bytes'
import { metricQueries } from '@mainstay/contract/monitoring/metric-queries'
import { useView } from '../../../../api/use-view'
import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import { useMetrics } from '../../../../patterns/charts/use-metrics'
import { useMay } from '../../../../session/may'
import { Sparkline } from '../../../../ui/values/Sparkline'
import { instanceQueries } from './instance-charts'
import { ratesBetween, fromHistory, type InstanceRates } from './stat-rates'
import css from './InstanceCharts.module.css'

const everyMs = 2000
/** Number of readings to keep: two minutes' worth. */
const kept = 60

interface History {
  last: InstanceStat | undefined
  figures: readonly InstanceRates[]
}

type Measured = Pick<Instance, 'id' | 'flavor'>

/** An instance's current usage, polled every two seconds while visible, together with the last hour. */
export const InstanceCharts = ({ instance }: { instance: Measured }) =>
  useMay()(metricQueries.range.needs) ? <AfterAnHour instance={instance} /> : <Live id={instance.id} />

function AfterAnHour({ instance: { id, flavor } }: { instance: Measured }) {
  const { cpu, memory, read, write, received, sent } = instanceQueries(id)
  const { data } = useMetrics([cpu, memory, read, write, received, sent], '1h')
  const isKnown = data?.rows.some((row) => row.some((value) => value !== null))
  return <Live id={id} hour={isKnown ? fromHistory(data!, flavor.ram * MiB) : undefined} />
}

interface LiveProps {
  id: string
  /**
   * Metrics of the last hour. Undefined if the metrics store has no data; the chart then starts when the page opens.
   */
  hour?: readonly InstanceRates[] | undefined
}

function Live({ id, hour }: LiveProps) {
  const t = useT('instance')
  const list = useT('instances')
  const format = useFormat()
  const { data } = useView(instances.stat, { id }, { everyMs })
  const [{ last, figures }, setHistory] = useState<History>({ last: undefined, figures: [] })

  // append a new reading during render instead of in an effect, so that no frame is rendered without it
  if (data && data.at !== last?.at)
    setHistory({ last: data, figures: [...figures, ratesBetween(data, last)].slice(-kept) })

  const share = (value: number | null | undefined) => (value == null ? '–' : format.percent(value / 100, 0))
  const speed = (value: number | null | undefined) =>
    value == null ? '–' : t('instances.perSecond', { size: format.bytes(value) })
  const now = figures.at(-1)
  const shown = hour ?? padded(figures)
  const series = (of: (it: InstanceRates) => number | null) => shown.map((it) => it && of(it))
  const period = t(hour ? 'instances.lastHour' : 'instances.lastMinutes')

  return (
    <section className={css.figures} aria-label={t('instances.figures')}>
      <Figure
        label={list('instances.cpu')}
        value={share(now?.cpu)}
        detail={period}
        values={series(({ cpu }) => cpu)}
        high={100}
      />
      <Figure
        label={list('instances.memory')}
        value={share(now?.memory)}
        detail={period}
        values={series(({ memory }) => memory)}
        high={100}
      />
      <Figure
        label={t('instances.disk')}
        value={speed(sumOf(now?.read, now?.write))}
        detail={t('instances.readWrite', { read: speed(now?.read), write: speed(now?.write) })}
        values={series(({ read, write }) => sumOf(read, write))}
      />
      <Figure
        label={t('instances.traffic')}
        value={speed(sumOf(now?.received, now?.sent))}
        detail={t('instances.inOut', { received: speed(now?.received), sent: speed(now?.sent) })}
        values={series(({ received, sent }) => sumOf(received, sent))}
      />
    </section>
  )
}

const sumOf = (a: number | null | undefined, b: number | null | undefined) => (a == null || b == null ? null : a + b)

/**
 * Pads the start of the series with nulls, so that the chart keeps its width while it fills up. Newest values are last.
 */
const padded = (figures: readonly InstanceRates[]): (InstanceRates | null)[] => [
  ...Array.from<null>({ length: Math.max(0, kept - figures.length) }).fill(null),
  ...figures,
]

interface FigureProps {
  label: string
  value: string
  detail: string
  values: readonly (number | null)[]
  high?: number
}

const Figure = ({ label, value, detail, values, high }: FigureProps) => (
  <div className={css.figure}>
    <span className={css.label}>{label}</span>
    <bdi dir="ltr" className={css.value}>
      {value}
    </bdi>
    <Sparkline label={`${label}, ${value}`} values={values} high={high} width={132} height={28} className={css.line} />
    <span className={css.detail}>
      <bdi>{detail}</bdi>
    </span>
  </div>
)
