import { readFile, statfs } from 'node:fs/promises'
import { cpus, freemem, hostname, totalmem } from 'node:os'
import type { Sampler } from './sampling'

/** Total CPU time of all processors since boot. */
function cpuTimes(): { busy: number; all: number } {
  const sum = { busy: 0, all: 0 }
  for (const { times } of cpus()) {
    const all = times.user + times.nice + times.sys + times.idle + times.irq
    sum.all += all
    sum.busy += all - times.idle
  }
  return sum
}

/** Memory available to programs: free memory and reclaimable caches. */
async function availableBytes(): Promise<number> {
  const text = await readFile('/proc/meminfo', 'utf8').catch(() => '')
  const [, kilobytes] = /^MemAvailable:\s+(\d+) kB$/m.exec(text) ?? []
  return kilobytes === undefined ? freemem() : Number(kilobytes) * 1024
}

/** Samples the load of this host: CPU, memory, and the disk that holds the data folder. */
export function hostSampler(dataFolder: string): Sampler {
  let before = cpuTimes()
  return {
    name: 'host',
    everyMs: 15_000,
    by: 'each',
    async take() {
      const now = cpuTimes()
      const share = now.all > before.all ? (now.busy - before.busy) / (now.all - before.all) : Number.NaN
      before = now
      const [available, disk] = await Promise.all([availableBytes(), statfs(dataFolder)])
      const labels = { node: hostname() }
      return Object.entries({
        cpu_usage_ratio: share,
        mem_used_bytes: totalmem() - available,
        mem_bytes: totalmem(),
        disk_used_bytes: (disk.blocks - disk.bfree) * disk.bsize,
        disk_bytes: disk.blocks * disk.bsize,
      }).map(([name, value]) => ({ name: `mainstay_node_${name}`, labels, value }))
    },
  }
}
