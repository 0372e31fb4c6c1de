import type { MachineUsage } from '../../hypervisor'
import { diskDeviceId } from '../devices/ids'
import type { Machine } from './machine'
import { processorSeconds } from '../../../host/processes'

interface BlockStats {
  qdev?: string
  stats: { rd_bytes: number; wr_bytes: number; rd_operations: number; wr_operations: number }
}

/**
 * Usage of a machine; null if it has no process. Memory usage is unknown, because machines have no balloon device.
 * `nics` is empty, because QEMU does not count the traffic of user-mode networks.
 */
export async function usageOf(machine: Machine): Promise<MachineUsage | null> {
  const { process } = machine
  if (!process) return null
  try {
    const cpuSeconds = await processorSeconds(process)
    const all = await machine.qmp().execute<BlockStats[]>('query-blockstats')
    const disks = machine.record.spec.disks.flatMap(({ id }) => {
      const found = all.find(({ qdev }) => qdev?.split('/').includes(diskDeviceId(id)))
      if (!found) return []
      const { rd_bytes, wr_bytes, rd_operations, wr_operations } = found.stats
      return [{ id, readBytes: rd_bytes, writtenBytes: wr_bytes, readOps: rd_operations, writeOps: wr_operations }]
    })
    return { cpuSeconds, ramBytes: null, disks, nics: [] }
  } catch {
    // The process has just exited, which an event will report.
    return null
  }
}
