import { instanceIsRunning, instanceStatuses } from '@mainstay/contract/compute/instance-rules'
import { instanceKind, type Instance, type InstanceStat } from '@mainstay/contract/compute/instances'
import { MiB } from '@mainstay/contract/core/bytes'
import type { Sample } from '../../../metrics/sample'
import type { Sampler } from '../../../metrics/sampling'
import { serverScope } from '../../../tasks/server-scope'
import type { Tools } from '../../../tools'

/** Number of instances sampled per round. If there are more, each one is sampled only every few rounds. */
const MOST_PER_ROUND = 500
/** Maximum number of concurrent queries to a hypervisor or a cloud. */
const AT_ONCE = 4
const EVERY_MS = 30_000
/** A longer interval, because a cloud queries the node for each instance. */
const EVERY_MS_OF_CLOUD = 60_000

const running = instanceStatuses.filter((status) => instanceIsRunning({ status })).join(',')

/** Samples the load of running instances. Returns null if there is no compute engine. */
export function machineSampler({
  inventory,
  ports,
  areas,
}: Pick<Tools, 'inventory' | 'ports' | 'areas'>): Sampler | null {
  const { engine } = areas.compute
  if (!engine) return null
  let marker: string | undefined

  async function nextRows(): Promise<Instance[]> {
    const query = { limit: MOST_PER_ROUND, status: `in:${running}`, sort: 'created_at:asc' }
    const page = await inventory.list<Instance>(instanceKind, serverScope, { ...query, ...(marker && { marker }) })
    marker = page.pages[0]?.marker
    return page.data
  }

  return {
    name: 'machines',
    everyMs: engine.feed ? EVERY_MS_OF_CLOUD : EVERY_MS,
    by: 'one',
    async take(signal) {
      const rows = await nextRows()
      const samples: Sample[] = []
      const turns = rows[Symbol.iterator]()
      const work = async (): Promise<void> => {
        for (const row of turns) {
          if (signal.aborted) return
          // an instance has no stats if it has been deleted or its node is down
          const stat = await ports.compute.instances.stat(serverScope, row.id).catch(() => null)
          if (stat) samples.push(...samplesOf(row, stat))
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, work))
      return samples
    },
  }
}

/** Samples of an instance. Ratios range from 0 to 1. Unknown values are left out. */
function samplesOf({ id, project_id, domain_id, flavor }: Instance, stat: InstanceStat): Sample[] {
  const labels = { project_id, domain_id, server_id: id }
  const one = (name: string, value: number | null, more = {}): Sample[] =>
    value === null ? [] : [{ name: `mainstay_vm_${name}`, labels: { ...labels, ...more }, value }]
  const share = (percent: number | null) => (percent === null ? null : percent / 100)
  const memory = share(stat.mem_usage)
  return [
    ...one('cpu_usage_ratio', share(stat.cpu_usage)),
    ...one('vcpus', flavor.vcpus),
    ...one('mem_usage_bytes', memory === null ? null : memory * flavor.ram * MiB),
    ...one('mem_bytes', flavor.ram * MiB),
    ...one('block_used_bytes', stat.block_usage),
    ...stat.disks.flatMap(({ id: volume_id, read_bytes, write_bytes, read_ops, write_ops }) => [
      ...one('block_read_bytes_total', read_bytes, { volume_id }),
      ...one('block_write_bytes_total', write_bytes, { volume_id }),
      ...one('block_read_ops_total', read_ops, { volume_id }),
      ...one('block_write_ops_total', write_ops, { volume_id }),
    ]),
    ...stat.nics.flatMap(({ id: port_id, rx_bytes, tx_bytes }) => [
      ...one('net_rx_bytes_total', rx_bytes, { port_id }),
      ...one('net_tx_bytes_total', tx_bytes, { port_id }),
    ]),
  ]
}
