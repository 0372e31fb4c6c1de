import { statfs } from 'node:fs/promises'
import { hostname } from 'node:os'
import { openCpuShare, readHostMemory } from '@mainstay/engines/host/host-load'
import type { Sampler } from './sampling'

/** Samples the load of this host: CPU, memory, and the disk that holds the data folder. */
export function hostSampler(dataFolder: string): Sampler {
  const cpuShare = openCpuShare()
  return {
    name: 'host',
    everyMs: 15_000,
    by: 'each',
    async take() {
      const share = cpuShare()
      const [memory, disk] = await Promise.all([readHostMemory(), statfs(dataFolder)])
      const labels = { node: hostname() }
      return Object.entries({
        cpu_usage_ratio: share,
        mem_used_bytes: memory.total - memory.available,
        mem_bytes: memory.total,
        disk_used_bytes: (disk.blocks - disk.bfree) * disk.bsize,
        disk_bytes: disk.blocks * disk.bsize,
      }).map(([name, value]) => ({ name: `mainstay_node_${name}`, labels, value }))
    },
  }
}
