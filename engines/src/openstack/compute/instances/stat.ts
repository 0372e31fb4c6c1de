import type { Instance, InstanceStat } from '@mainstay/contract/compute/instances'
import { Problem } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { Scope } from '../../../ports/scope'
import type { Engine } from '../../engine'
import { known } from './act'

const version = '2.48'
/** Some hypervisors report negative counts. */
const Count = z
  .number()
  .nullish()
  .transform((count) => Math.max(0, count ?? 0))

/** Fields that the hypervisor does not report are null or empty. */
const Diagnostics = z.object({
  /** CPU time of each vCPU, in nanoseconds. */
  cpu_details: z.array(z.object({ time: Count })).default([]),
  disk_details: z
    .array(z.object({ read_bytes: Count, write_bytes: Count, read_requests: Count, write_requests: Count }))
    .default([]),
  nic_details: z.array(z.object({ mac_address: z.string().nullish(), rx_octets: Count, tx_octets: Count })).default([]),
})
type Diagnostics = z.output<typeof Diagnostics>

/** Maximum number of samples kept; the CPU usage is computed from the previous sample. */
const mostLooks = 1000
/** Over shorter intervals, the CPU usage is meaningless. */
const leastApartMs = 500

interface Look {
  cpuNs: number
  at: number
  share: number | null
}

/** Returns the metrics of an instance, which are read from the cloud on demand. */
export function openMetrics(engine: Engine): (scope: Scope, id: string) => Promise<InstanceStat> {
  const looks = new Map<string, Look>()

  const shareOf = (row: Instance, { cpu_details }: Diagnostics): number | null => {
    if (cpu_details.length === 0) return null
    const before = looks.get(row.id)
    const at = Date.now()
    if (before && at - before.at < leastApartMs) return before.share
    const cpuNs = cpu_details.reduce((sum, { time }) => sum + (time ?? 0), 0)
    // counters restart at zero after a reboot
    const spent = before && cpuNs >= before.cpuNs ? cpuNs - before.cpuNs : null
    const share = before && spent !== null ? percent(spent / 1e6 / (at - before.at) / row.flavor.vcpus) : null
    looks.delete(row.id)
    looks.set(row.id, { cpuNs, at, share })
    for (const oldest of looks.keys()) if (looks.size > mostLooks) looks.delete(oldest)
    return share
  }

  return async (scope, id) => {
    const row = await known(engine, scope, id)
    const diagnostics = await diagnosticsOf(engine, id)
    const { block_capacity, block_usage } = row.statistics.metrics
    return {
      at: new Date().toISOString(),
      cpu_usage: diagnostics ? shareOf(row, diagnostics) : null,
      // hypervisors report the allocated memory, not the memory in use
      mem_usage: null,
      block_capacity,
      block_usage,
      disks: diagnostics ? disksOf(row, diagnostics) : [],
      nics: diagnostics ? cardsOf(row, diagnostics) : [],
    }
  }
}

const percent = (share: number) => Math.round(Math.min(1, Math.max(0, share)) * 1000) / 10

/**
 * Reads diagnostics with the service account, because the cloud returns them only to administrators. The caller's
 * access must be checked beforehand. Null if the instance is off or the hypervisor does not support diagnostics.
 */
async function diagnosticsOf({ reading: { caller } }: Engine, id: string): Promise<Diagnostics | null> {
  try {
    return await caller.get('compute', `/servers/${id}/diagnostics`, Diagnostics, { version })
  } catch (error) {
    const isOff =
      error instanceof Problem && ['conflict', 'invalid_state', 'unsupported', 'validation'].includes(error.code)
    if (isOff) return null
    throw error
  }
}

/** Returns the counters of each disk. Diagnostics list the disks in device order, without names. */
const disksOf = ({ volumes }: Instance, { disk_details }: Diagnostics): InstanceStat['disks'] =>
  disk_details.map((disk, at) => ({
    id: volumes[at]?.id ?? `disk-${at + 1}`,
    read_bytes: disk.read_bytes,
    write_bytes: disk.write_bytes,
    read_ops: disk.read_requests,
    write_ops: disk.write_requests,
  }))

const cardsOf = ({ network_data }: Instance, { nic_details }: Diagnostics): InstanceStat['nics'] =>
  nic_details.flatMap(({ mac_address, rx_octets, tx_octets }) => {
    const card = network_data.find(({ mac_addr }) => mac_addr === mac_address)
    return card ? [{ id: card.port_id, rx_bytes: rx_octets, tx_bytes: tx_octets }] : []
  })
