import type { Instance } from '@mainstay/contract/compute/instances'
import { metricQueries } from '@mainstay/contract/monitoring/metric-queries'
import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import { ChartGrid } from '../../../../patterns/charts/ChartGrid'
import { rateOf } from '../../../../patterns/charts/ranges'
import { RangeChoice, useRange } from '../../../../patterns/charts/RangeChoice'
import { useMay } from '../../../../session/may'

/** Traffic charts for each network interface of an instance. */
export function PortTraffic({
  instance: { id, network_data: cards },
}: {
  instance: Pick<Instance, 'id' | 'network_data'>
}) {
  const t = useT('monitoring')
  const may = useMay()
  const format = useFormat()
  const [range, setRange] = useRange()
  if (cards.length === 0 || !may(metricQueries.range.needs)) return null
  const speed = (name: string, port: string) =>
    `sum(${rateOf(`mainstay_vm_${name}{server_id="${id}",port_id="${port}"}`)})`
  return (
    <>
      <div>
        <RangeChoice range={range} onChange={setRange} />
      </div>
      <ChartGrid
        isCompact
        range={range}
        charts={cards.map(({ port_id, network_name, fixed_ips }) => ({
          title: [network_name, fixed_ips[0]?.ip_address].filter(Boolean).join(' '),
          series: [
            { name: t('received'), query: speed('net_rx_bytes_total', port_id) },
            { name: t('sent'), query: speed('net_tx_bytes_total', port_id) },
          ],
          format: (bytes) => t('perSecond', { size: format.bytes(bytes) }),
          isBinary: true,
        }))}
      />
    </>
  )
}
