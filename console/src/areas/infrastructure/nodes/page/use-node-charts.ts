import type { Node } from '@mainstay/contract/infrastructure/nodes'
import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import type { ChartSpec } from '../../../../patterns/charts/ChartGrid'

/** Charts of the CPU, memory and disk usage of a node. */
export function useNodeCharts({ host, cpu, ram }: Pick<Node, 'host' | 'cpu' | 'ram'>): ChartSpec[] {
  const t = useT('nodes')
  const monitoring = useT('monitoring')
  const format = useFormat()
  const of = (name: string) => `mainstay_node_${name}{node=${JSON.stringify(host)}}`
  const used = monitoring('used')
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
      title: t('chart.disk'),
      series: [{ name: used, query: `${of('disk_used_bytes')} / ${of('disk_bytes')}` }],
      format: (share) => format.percent(share, 0),
      high: 1,
    },
  ]
}
