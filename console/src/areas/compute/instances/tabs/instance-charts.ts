import type { Instance } from '@mainstay/contract/compute/instances'
import { MiB } from '@mainstay/contract/core/bytes'
import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import type { ChartSpec } from '../../../../patterns/charts/ChartGrid'
import { rateOf } from '../../../../patterns/charts/ranges'

/** The charts of an instance: what is asked for, and how its values are said. */
export function useInstanceCharts({ id, flavor }: Pick<Instance, 'id' | 'flavor'>) {
  const t = useT('monitoring')
  const format = useFormat()
  const of = (name: string) => `mainstay_vm_${name}{server_id="${id}"}`
  // of all its disks, or cards, together
  const speed = (name: string, label: string) => ({ name: label, query: `sum(${rateOf(of(name))})` })
  const perSecond = (bytes: number) => t('perSecond', { size: format.bytes(bytes) })
  return {
    cpu: {
      title: t('cpu'),
      series: [{ name: t('used'), query: of('cpu_usage_ratio') }],
      format: (share) => format.percent(share, 0),
      high: 1,
    },
    memory: {
      title: t('memory'),
      series: [{ name: t('used'), query: of('mem_usage_bytes') }],
      format: (bytes) => format.bytes(bytes),
      isBinary: true,
      high: flavor.ram * MiB,
    },
    disk: {
      title: t('disk'),
      series: [speed('block_read_bytes_total', t('read')), speed('block_write_bytes_total', t('write'))],
      format: perSecond,
      isBinary: true,
    },
    operations: {
      title: t('operations'),
      series: [speed('block_read_ops_total', t('read')), speed('block_write_ops_total', t('write'))],
      format: (count) => t('perSecond', { size: format.number(count, { maximumFractionDigits: 1 }) }),
    },
    network: {
      title: t('network'),
      series: [speed('net_rx_bytes_total', t('received')), speed('net_tx_bytes_total', t('sent'))],
      format: perSecond,
      isBinary: true,
    },
    space: {
      title: t('space'),
      series: [{ name: t('used'), query: of('block_used_bytes') }],
      format: (bytes) => format.bytes(bytes),
      isBinary: true,
    },
  } satisfies Record<string, ChartSpec>
}
