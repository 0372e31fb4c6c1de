/** Memory and swap of a host, in bytes. */
export interface HostMemory {
  total: number
  /** Memory available to programs: free memory and reclaimable caches. */
  available: number
  swap_total: number
  swap_free: number
}

/** Parses `/proc/meminfo`, which has units of 1024 bytes. */
export function parseMemory(text: string): HostMemory {
  const bytes = (name: string): number => {
    const found = new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(text)
    if (!found) throw new Error(`no ${name}`)
    return Number(found[1]) * 1024
  }
  return {
    total: bytes('MemTotal'),
    available: bytes('MemAvailable'),
    swap_total: bytes('SwapTotal'),
    swap_free: bytes('SwapFree'),
  }
}
