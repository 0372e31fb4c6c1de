import { metricQueries } from '@mainstay/contract/monitoring/metric-queries'
import { useFormat } from '../../i18n/use-format'
import { useT } from '../../i18n/use-t'
import { ChartGrid } from '../../patterns/charts/ChartGrid'
import { rateOf } from '../../patterns/charts/ranges'
import { RangeChoice, useRange } from '../../patterns/charts/RangeChoice'
import { useMay } from '../../session/may'
import css from './load-balancing.module.css'

/** Traffic charts for a load balancer or one of its pools. */
export function Traffic({ balancerId, poolId }: { balancerId: string; poolId?: string | undefined }) {
  const t = useT('loadBalancing')
  const monitoring = useT('monitoring')
  const may = useMay()
  const format = useFormat()
  const [range, setRange] = useRange()
  if (!may(metricQueries.range.needs)) return null
  const chosen = `{load_balancer_id="${balancerId}"${poolId === undefined ? '' : `,pool_id="${poolId}"`}}`
  const now = (name: string) => `sum(mainstay_lb_${name}${chosen})`
  const rate = (name: string) => `sum(${rateOf(`mainstay_lb_${name}_total${chosen}`)})`
  const each = (value: number) => monitoring('perSecond', { size: format.number(Math.round(value * 10) / 10) })
  const count = (value: number) => format.number(Math.round(value))
  return (
    <div className={css.part}>
      <div className={css.head}>
        <h2>{t('balancers.traffic')}</h2>
        <RangeChoice range={range} onChange={setRange} />
      </div>
      <ChartGrid
        range={range}
        charts={[
          {
            title: t('traffic.connections'),
            series: [{ name: t('traffic.new'), query: rate('connections') }],
            format: each,
          },
          { title: t('traffic.open'), series: [{ name: t('traffic.open'), query: now('connections') }], format: count },
          {
            title: t('traffic.bytes'),
            series: [
              { name: monitoring('received'), query: rate('bytes_in') },
              { name: monitoring('sent'), query: rate('bytes_out') },
            ],
            format: (bytes) => monitoring('perSecond', { size: format.bytes(bytes) }),
            isBinary: true,
          },
          {
            title: t('traffic.errors'),
            series: [{ name: t('traffic.errors'), query: rate('request_errors') }],
            format: each,
          },
          {
            title: t('traffic.members'),
            series: [
              { name: t('health.healthy'), query: now('members_healthy') },
              { name: t('traffic.all'), query: now('members') },
            ],
            format: count,
          },
        ]}
      />
    </div>
  )
}
