import type { Instance } from '@mainstay/contract/compute/instances'
import { MiB } from '@mainstay/contract/core/bytes'
import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import type { ChartSpec } from '../../../../patterns/charts/ChartGrid'
import { rateOf } from '../../../../patterns/charts/ranges'

/** Metrics queries for an instance. Values are summed over all its volumes or network interfaces. */
export function instanceQueries(id: string) {
  const of = (name: string) => `mainstay_vm_${name}{server_id="${id}"}`
  const speed = (name: string) => `sum(${rateOf(of(name))})`
  return {
    cpu: of('cpu_usage_ratio'),
    memory: of('mem_usage_bytes'),
    space: of('block_used_bytes'),
    read: speed('block_read_bytes_total'),
    write: speed('block_write_bytes_total'),
    readOperations: speed('block_read_ops_total'),
    writeOperations: speed('block_write_ops_total'),
    received: speed('net_rx_bytes_total'),
    sent: speed('net_tx_bytes_total'),
  }
}

/** Chart definitions for an instance: queries and value formats. */
export function useInstanceCharts({ id, flavor }: Pick<Instance, 'id' | 'flavor'>) {
  const t = useT('monitoring')
  const format = useFormat()
  const queries = instanceQueries(id)
  const perSecond = (bytes: number) => t('perSecond', { size: format.bytes(bytes) })
  return {
    cpu: {
      title: t('cpu'),
      series: [{ name: t('used'), query: queries.cpu }],
      format: (share) => format.percent(share, 0),
      high: 1,
    },
    memory: {
      title: t('memory'),
      series: [{ name: t('used'), query: queries.memory }],
      format: (bytes) => format.bytes(bytes),
      isBinary: true,
      high: flavor.ram * MiB,
    },
    disk: {
      title: t('disk'),
      series: [
        { name: t('read'), query: queries.read },
        { name: t('write'), query: queries.write },
      ],
      format: perSecond,
      isBinary: true,
    },
    operations: {
      title: t('operations'),
      series: [
        { name: t('read'), query: queries.readOperations },
        { name: t('write'), query: queries.writeOperations },
      ],
      format: (count) => t('perSecond', { size: format.number(count, { maximumFractionDigits: 1 }) }),
    },
    network: {
      title: t('network'),
      series: [
        { name: t('received'), query: queries.received },
        { name: t('sent'), query: queries.sent },
      ],
      format: perSecond,
      isBinary: true,
    },
    space: {
      title: t('space'),
      series: [{ name: t('used'), query: queries.space }],
      format: (bytes) => format.bytes(bytes),
      isBinary: true,
    },
  } satisfies Record<string, ChartSpec>
}
