import { readFile } from 'node:fs/promises'
import { cpus, freemem, totalmem } from 'node:os'
import { parseMemory, type HostMemory } from './memory'

/** Returns the total CPU time of all processors since boot. */
function cpuTimes(): { busy: number; all: number } {
  const sum = { busy: 0, all: 0 }
  for (const { times } of cpus()) {
    const all = times.user + times.nice + times.sys + times.idle + times.irq
    sum.all += all
    sum.busy += all - times.idle
  }
  return sum
}

/** Returns a function that measures the busy share of the processors (0 to 1) since its last call; NaN if too soon. */
export function openCpuShare(): () => number {
  let before = cpuTimes()
  return () => {
    const now = cpuTimes()
    const share = now.all > before.all ? (now.busy - before.busy) / (now.all - before.all) : Number.NaN
    before = now
    return share
  }
}

/** Returns the memory of this host, in bytes, from the kernel's `meminfo`. */
export async function readHostMemory(): Promise<HostMemory> {
  try {
    return parseMemory(await readFile('/proc/meminfo', 'utf8'))
  } catch {
    return { total: totalmem(), available: freemem(), swap_total: 0, swap_free: 0 }
  }
}
