import { readFile } from 'node:fs/promises'
import { cpus, hostname, totalmem } from 'node:os'
import type { HostFacts } from '../hypervisor'

/** Memory that is available to a new process without swapping, in bytes, as estimated by the kernel. */
export async function availableRam(): Promise<number> {
  const text = await readFile('/proc/meminfo', 'utf8').catch(() => '')
  const found = /^MemAvailable:\s+(\d+) kB$/m.exec(text)
  return found ? Number(found[1]) * 1024 : totalmem()
}

export function hostFacts(version: string, accelerator: 'kvm' | 'tcg'): HostFacts {
  const processors = cpus()
  return {
    hostname: hostname(),
    cpuModel: processors[0]?.model.trim() ?? '',
    cpuCores: processors.length,
    ramBytes: totalmem(),
    hypervisor: 'QEMU',
    version,
    accelerator,
  }
}
