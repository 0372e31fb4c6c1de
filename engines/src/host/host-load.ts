import { readFile } from 'node:fs/promises'
import { cpus, freemem, totalmem } from 'node:os'

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

export interface HostMemory {
  total: number
  /** Memory available to programs: free memory and reclaimable caches. */
  available: number
  swapTotal: number
  swapFree: number
}

/** Memory of this host, in bytes, from the kernel's `meminfo`. */
export async function readHostMemory(): Promise<HostMemory> {
  const text = await readFile('/proc/meminfo', 'utf8').catch(() => '')
  const bytes = (name: string, otherwise: number) => {
    const [, kilobytes] = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text) ?? []
    return kilobytes === undefined ? otherwise : Number(kilobytes) * 1024
  }
  return {
    total: totalmem(),
    available: bytes('MemAvailable', freemem()),
    swapTotal: bytes('SwapTotal', 0),
    swapFree: bytes('SwapFree', 0),
  }
}
