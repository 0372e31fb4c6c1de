import type { Instance } from '@mainstay/contract/compute/instances'
import type { ComputeNodeStatistics } from '@mainstay/contract/compute/node-statistics'
import type { ComputeNode } from '@mainstay/contract/compute/nodes'
import { MiB } from '@mainstay/contract/core/bytes'
import { openCpuShare, readHostMemory } from '../../../host/host-load'
import { thisNodeId } from '../../../ports/named-id'
import { usedOf } from '../../../ports/quotas'
import type { ComputeNodesPort } from '../../../ports/compute'
import type { Engine } from '../../engine'
import { capacityOf } from '../capacity'

/** Maximum number of running machines for which the total load is computed. */
const mostSummed = 1000

/**
 * Returns the statistics of the nodes. The values for this host come from its kernel, and those for its machines from
 * their rows. Simulated nodes run no machines.
 */
export function nodeStatistics(engine: Engine): ComputeNodesPort['statistics'] {
  const { records, hypervisor } = engine
  const cpuShare = openCpuShare()
  return async () => {
    const { nodes, used, running } = await records.transaction(async (tx) => ({
      nodes: await tx.find<ComputeNode>('compute_node', {}),
      used: { vcpus: await usedOf(tx, null, 'vcpus'), memory: (await usedOf(tx, null, 'ram')) * MiB },
      running: await tx.find<Instance>('server', { status: 'ACTIVE' }, mostSummed + 1),
    }))
    const physical = await measured(hypervisor, used.memory, cpuShare)
    const load = running.length > mostSummed ? { cpu_usage: null, vm_mem_usage: null } : loadOf(running)
    return new Map(
      nodes.map(({ id }) => [
        id,
        id === thisNodeId
          ? statisticsOf(engine, physical, used, load)
          : statisticsOf(engine, atRest(physical), { vcpus: 0, memory: 0 }, { cpu_usage: 0, vm_mem_usage: 0 }),
      ]),
    )
  }
}

type Physical = ComputeNodeStatistics['physical']
type Load = Pick<ComputeNodeStatistics['compute'], 'cpu_usage' | 'vm_mem_usage'>

async function measured(
  { kind, host }: Engine['hypervisor'],
  memoryUsed: number,
  cpuShare: () => number,
): Promise<Physical> {
  const known = { cpu_cores: host.cpuCores, mem_total: host.ramBytes }
  if (kind === 'simulated')
    return { ...known, cpu_usage: null, mem_free: host.ramBytes - memoryUsed, swap_total: 0, swap_free: 0 }
  const memory = await readHostMemory()
  const share = cpuShare()
  return {
    ...known,
    cpu_usage: Number.isNaN(share) ? null : percent(share),
    mem_free: memory.available,
    swap_total: memory.swap_total,
    swap_free: memory.swap_free,
  }
}

const atRest = (physical: Physical): Physical => ({ ...physical, cpu_usage: 0, mem_free: physical.mem_total })

function statisticsOf(
  engine: Engine,
  physical: Physical,
  used: { vcpus: number; memory: number },
  load: Load,
): ComputeNodeStatistics {
  const { vcpus, ramMiB } = capacityOf(engine)
  const capacity = ramMiB * MiB
  return {
    physical,
    reserved: { vcpus: 0, cpus: 0, memory: engine.limits.hostReserveMiB * MiB },
    compute: {
      ...{ vcpus, vcpus_free: Math.max(0, vcpus - used.vcpus), ...load },
      ...{ vm_mem_reserved: used.memory, vm_mem_capacity: capacity, vm_mem_free: Math.max(0, capacity - used.memory) },
    },
  }
}

/**
 * Returns the load of running machines: the share of their vCPUs that is busy, and the memory that their guests use.
 */
function loadOf(running: readonly Instance[]): Load {
  let [busy, vcpus, memory] = [0, 0, 0]
  for (const { flavor, statistics } of running) {
    const { cpu_usage, mem_usage } = statistics.metrics
    vcpus += flavor.vcpus
    busy += ((cpu_usage ?? 0) / 100) * flavor.vcpus
    memory += ((mem_usage ?? 0) / 100) * flavor.ram * MiB
  }
  return { cpu_usage: vcpus === 0 ? 0 : percent(busy / vcpus), vm_mem_usage: Math.round(memory) }
}

const percent = (share: number): number => Math.round(share * 1000) / 10
