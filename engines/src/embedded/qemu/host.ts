import { cpus, hostname, totalmem } from 'node:os'
import { readHostMemory } from '../../host/host-load'
import type { HostFacts } from '../hypervisor'

/** Returns the memory that is available to a new process without swapping, in bytes, as estimated by the kernel. */
export const availableRam = async (): Promise<number> => (await readHostMemory()).available

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
