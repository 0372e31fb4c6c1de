import type { Node } from '@mainstay/contract/infrastructure/nodes'
import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import type { ChartSpec } from '../../../../patterns/charts/ChartGrid'
import { rateOf } from '../../../../patterns/charts/ranges'

/** Charts of the CPU and memory usage of a node, and of the traffic of its disks and network interfaces. */
export function useNodeCharts({ host, cpu, ram }: Pick<Node, 'host' | 'cpu' | 'ram'>): ChartSpec[] {
  const t = useT('nodes')
  const monitoring = useT('monitoring')
  const format = useFormat()
  const of = (name: string) => `mainstay_node_${name}{node=${JSON.stringify(host)}}`
  const used = monitoring('used')
  const traffic = { format: (bytes: number) => monitoring('perSecond', { size: format.bytes(bytes) }), isBinary: true }
  return [
    {
      title: cpu ? t('chart.cpu', { count: cpu.threads }) : t('cpu'),
      series: [{ name: used, query: of('cpu_usage_ratio') }],
      format: (share) => format.percent(share, 0),
      high: 1,
    },
    {
      title: ram ? t('chart.memory', { size: format.bytes(ram.total) }) : t('memory'),
      series: [{ name: used, query: of('mem_used_bytes') }],
      format: (bytes) => format.bytes(bytes),
      isBinary: true,
      high: ram?.total,
    },
    {
      title: t('disks'),
      series: [
        { name: monitoring('read'), query: rateOf(of('disk_read_bytes_total')) },
        { name: monitoring('write'), query: rateOf(of('disk_write_bytes_total')) },
      ],
      ...traffic,
    },
    {
      title: monitoring('network'),
      series: [
        { name: monitoring('received'), query: rateOf(of('net_rx_bytes_total')) },
        { name: monitoring('sent'), query: rateOf(of('net_tx_bytes_total')) },
      ],
      ...traffic,
    },
  ]
}
