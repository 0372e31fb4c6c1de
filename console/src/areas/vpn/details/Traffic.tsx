import { metricQueries } from '@mainstay/contract/monitoring/metric-queries'
import type { IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { ChartGrid } from '../../../patterns/charts/ChartGrid'
import { rateOf } from '../../../patterns/charts/ranges'
import { RangeChoice, useRange } from '../../../patterns/charts/RangeChoice'
import { useMay } from '../../../session/may'
import { Panel } from '../../../ui/Panel'

/** Tunnel traffic over time. The lines have gaps while the tunnel is down. */
export function Traffic({ connection: { id } }: { connection: IpsecSiteConnection }) {
  const t = useT('vpn')
  const monitoring = useT('monitoring')
  const may = useMay()
  const format = useFormat()
  const [range, setRange] = useRange()
  if (!may(metricQueries.range.needs)) return null
  const rate = (name: string) => `sum(${rateOf(`mainstay_vpn_${name}_total{vpn_connection_id="${id}"}`)})`
  const perSecond = (size: string) => monitoring('perSecond', { size })
  return (
    <Panel title={t('traffic')} action={<RangeChoice range={range} onChange={setRange} />}>
      <ChartGrid
        range={range}
        charts={[
          {
            title: t('traffic.bytes'),
            series: [
              { name: t('received'), query: rate('bytes_in') },
              { name: t('sent'), query: rate('bytes_out') },
            ],
            format: (bytes) => perSecond(format.bytes(bytes)),
            isBinary: true,
          },
          {
            title: t('traffic.packets'),
            series: [
              { name: t('received'), query: rate('packets_in') },
              { name: t('sent'), query: rate('packets_out') },
            ],
            format: (packets) => perSecond(format.number(Math.round(packets * 10) / 10)),
          },
        ]}
      />
    </Panel>
  )
}
