import type { HostFacts, UnreadFact } from '@mainstay/contract/infrastructure/node-facts'
import type { Node } from '@mainstay/contract/infrastructure/nodes'
import { NODE_SERIES } from '../../../../metrics/host-sampler'
import type { Sample } from '../../../../metrics/sample'

/**
 * Returns the load of a host at one reading, for charts and alerts. Values that could not be read are left out. The
 * server samples CPU, memory and space of its own host more often, so only the traffic of that host is returned.
 */
export function samplesOf({ host, link }: Pick<Node, 'host' | 'link'>, facts: HostFacts): Sample[] {
  const { cpu, memory, disks, traffic, unread } = facts
  const isRead = (fact: UnreadFact) => link.by !== 'local' && !unread.includes(fact)
  const mounted = disks.filter(({ used }) => used !== null)
  const values: Record<string, number | null> = {
    ...(isRead('cpu') && { cpu_usage_ratio: cpu.usage }),
    ...(isRead('memory') && { mem_used_bytes: memory.total - memory.available, mem_bytes: memory.total }),
    ...(isRead('disks') &&
      mounted.length > 0 && {
        disk_used_bytes: mounted.reduce((sum, { used }) => sum + (used ?? 0), 0),
        disk_bytes: mounted.reduce((sum, { size }) => sum + size, 0),
      }),
    ...{ disk_read_bytes_total: traffic.disk_read, disk_write_bytes_total: traffic.disk_written },
    ...{ net_rx_bytes_total: traffic.received, net_tx_bytes_total: traffic.sent },
  }
  return Object.entries(values).flatMap(([name, value]) =>
    value === null ? [] : [{ name: `${NODE_SERIES}${name}`, labels: { node: host }, value }],
  )
}
