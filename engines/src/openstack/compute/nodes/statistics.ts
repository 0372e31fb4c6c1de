import type { ComputeNodeStatistics } from '@mainstay/contract/compute/node-statistics'
import { MiB } from '@mainstay/contract/core/bytes'
import type { ComputeNodesPort } from '../../../ports/compute'
import type { Engine } from '../../engine'
import { remembered } from '../remembered'
import type { NodeRoom, ReadNodes } from '../stat'
import { hypervisorVersion, WireHypervisor } from './shape'

/** How long measured usage is reused, so that several open pages cause no more requests to the cloud than one. */
const trueForMs = 10_000

/**
 * Returns the capacity of nodes from Placement, which is cached for minutes, and their usage from a single list of all
 * hypervisors. Nova reports neither CPU load nor swap space.
 */
export function nodeStatistics({ reading }: Engine, readNodes: ReadNodes): ComputeNodesPort['statistics'] {
  const read = remembered(trueForMs, async () => {
    const { byProvider } = await readNodes()
    const statistics = new Map<string, ComputeNodeStatistics>()
    const pages = reading.caller.pages('compute', '/os-hypervisors/detail', 'hypervisors', WireHypervisor, {
      version: hypervisorVersion,
    })
    for await (const page of pages)
      for (const found of page) statistics.set(found.id, statisticsOf(found, byProvider.get(found.id)))
    return statistics
  })
  return () => read()
}

function statisticsOf(found: WireHypervisor, room: NodeRoom | undefined): ComputeNodeStatistics {
  const { vcpus, vcpus_used: vcpusUsed, memory_mb: memory, memory_mb_used: memoryUsed } = found
  const reserved = { vcpus: room?.reserved.vcpus ?? 0, ram: room?.reserved.ram ?? 0 }
  const capacity = { vcpus: room?.vcpus ?? vcpus ?? 0, ram: room?.ram ?? memory ?? 0 }
  // Nova counts the memory that is reserved for the host as used
  const ram = Math.max(0, (memoryUsed ?? 0) - reserved.ram)
  return {
    physical: {
      cpu_cores: vcpus,
      cpu_usage: null,
      mem_total: memory === null ? null : memory * MiB,
      mem_free: memory === null || memoryUsed === null ? null : Math.max(0, memory - memoryUsed) * MiB,
      swap_total: null,
      swap_free: null,
    },
    reserved: { vcpus: reserved.vcpus, cpus: reserved.vcpus, memory: reserved.ram * MiB },
    compute: {
      vcpus: capacity.vcpus,
      vcpus_free: Math.max(0, capacity.vcpus - (vcpusUsed ?? 0)),
      cpu_usage: null,
      vm_mem_reserved: ram * MiB,
      vm_mem_usage: null,
      vm_mem_capacity: capacity.ram * MiB,
      vm_mem_free: Math.max(0, capacity.ram - ram) * MiB,
    },
  }
}
