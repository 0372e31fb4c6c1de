import { hostname } from 'node:os'
import { spaceOf } from '@mainstay/engines/host/folder-space'
import { openCpuShare, readHostMemory } from '@mainstay/engines/host/host-load'
import type { Sampler } from './sampling'

/** Prefix of the metrics of hosts. Their label `node` is the name of the host. */
export const NODE_SERIES = 'mainstay_node_'
const labels = () => ({ node: hostname() })

/** Selects the series of the used space on the disk that holds the data folder of this host. */
export const usedSpaceSeries = (): string => `${NODE_SERIES}disk_used_bytes{node=${JSON.stringify(hostname())}}`

/** Samples the load of this host: CPU, memory, and the disk that holds the data folder. */
export function hostSampler(dataFolder: string): Sampler {
  const cpuShare = openCpuShare()
  return {
    name: 'host',
    everyMs: 15_000,
    by: 'each',
    async take() {
      const share = cpuShare()
      const [memory, disk] = await Promise.all([readHostMemory(), spaceOf(dataFolder)])
      return Object.entries({
        cpu_usage_ratio: share,
        mem_used_bytes: memory.total - memory.available,
        mem_bytes: memory.total,
        disk_used_bytes: disk.used,
        disk_bytes: disk.size,
      }).map(([name, value]) => ({ name: `${NODE_SERIES}${name}`, labels: labels(), value }))
    },
  }
}
