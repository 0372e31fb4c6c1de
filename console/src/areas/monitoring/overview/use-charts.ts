import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import type { ChartSpec } from '../../../patterns/charts/ChartGrid'
import { rateOf } from '../../../patterns/charts/ranges'

const sumOf = (name: string) => `sum(mainstay_vm_${name})`
const speedOf = (name: string) => `sum(${rateOf(`mainstay_vm_${name}`)})`

/** Charts of total usage across all virtual machines visible to the user. */
export function useUseCharts(): ChartSpec[] {
  const t = useT('monitoring')
  const format = useFormat()
  const perSecond = (bytes: number) => t('perSecond', { size: format.bytes(bytes) })
  return [
    {
      title: t('cpu'),
      series: [{ name: t('used'), query: 'sum(mainstay_vm_cpu_usage_ratio * mainstay_vm_vcpus)' }],
      format: (count) => t('vcpus', { count: format.number(count, { maximumFractionDigits: 1 }) }),
    },
    {
      title: t('memory'),
      series: [{ name: t('used'), query: sumOf('mem_usage_bytes') }],
      format: (bytes) => format.bytes(bytes),
      isBinary: true,
    },
    {
      title: t('disk'),
      series: [
        { name: t('read'), query: speedOf('block_read_bytes_total') },
        { name: t('write'), query: speedOf('block_write_bytes_total') },
      ],
      format: perSecond,
      isBinary: true,
    },
    {
      title: t('network'),
      series: [
        { name: t('received'), query: speedOf('net_rx_bytes_total') },
        { name: t('sent'), query: speedOf('net_tx_bytes_total') },
      ],
      format: perSecond,
      isBinary: true,
    },
  ]
}

/** Charts of host usage, API server request rate and API server latency. */
export function useOperatorCharts(): ChartSpec[] {
  const t = useT('monitoring')
  const format = useFormat()
  const share = (value: number) => format.percent(value, 0)
  const each = (count: number) => t('perSecond', { size: format.number(count, { maximumFractionDigits: 1 }) })
  const within = (share: number) => `histogram_quantile(${share}, sum by (le) (${rateOf('mainstay_requests_bucket')}))`
  return [
    {
      title: t('hosts.cpu'),
      series: [{ name: t('used'), query: 'avg(mainstay_node_cpu_usage_ratio)' }],
      format: share,
      high: 1,
    },
    {
      title: t('hosts.memory'),
      series: [{ name: t('used'), query: 'sum(mainstay_node_mem_used_bytes) / sum(mainstay_node_mem_bytes)' }],
      format: share,
      high: 1,
    },
    {
      title: t('hosts.disk'),
      series: [{ name: t('used'), query: 'sum(mainstay_node_disk_used_bytes) / sum(mainstay_node_disk_bytes)' }],
      format: share,
      high: 1,
    },
    {
      title: t('service.requests'),
      series: [
        { name: t('service.all'), query: `sum(${rateOf('mainstay_requests_total')})` },
        { name: t('service.failed'), query: `sum(${rateOf('mainstay_requests_total{status="5xx"}')})` },
      ],
      format: each,
    },
    {
      title: t('service.answers'),
      series: [
        { name: t('service.half'), query: within(0.5) },
        { name: t('service.most'), query: within(0.95) },
      ],
      format: (seconds) => t('service.ms', { count: format.number(seconds * 1000, { maximumFractionDigits: 0 }) }),
    },
  ]
}
