import { stat as fileStat } from 'node:fs/promises'
import { instanceIsRunning } from '@mainstay/contract/compute/instance-rules'
import type { Instance, InstanceStat } from '@mainstay/contract/compute/instances'
import { MiB } from '@mainstay/contract/core/bytes'
import type { Scope } from '../../../ports/scope'
import { getOwn } from '../../access'
import type { Engine } from '../../engine'
import type { MachineUsage } from '../../hypervisor'

type Metrics = Instance['statistics']['metrics']

export interface InstanceMetrics {
  stat(scope: Scope, id: string): Promise<InstanceStat>
  /**
   * Collects the metrics of running instances once. Writes a row only if its values have changed enough; see
   * `isWorthTelling`.
   */
  refresh(): Promise<void>
}

/** Number of instances polled per round. If more are running, they take turns over several rounds. */
const mostPerRound = 500
const rowsPerTransaction = 50
const stopped: Metrics = { cpu_usage: null, mem_usage: null, block_capacity: null, block_usage: null }

export function openInstanceMetrics(engine: Engine): InstanceMetrics {
  const { machines } = engine.hypervisor
  // processor time at the last poll, to compute the difference at the next one
  const looks = new Map<string, { cpuSeconds: number; at: number; share: number | null }>()
  let turn = 0

  const shareOf = (row: Instance, usage: MachineUsage): number | null => {
    const before = looks.get(row.id)
    const at = Date.now()
    // too soon after the last poll for a meaningful value
    if (before && at - before.at < 500) return before.share
    // the counter restarts at zero when the machine is restarted
    const spent = before && usage.cpuSeconds >= before.cpuSeconds ? usage.cpuSeconds - before.cpuSeconds : null
    const share = before && spent !== null ? percent((spent * 1000) / (at - before.at) / row.flavor.vcpus) : null
    looks.set(row.id, { cpuSeconds: usage.cpuSeconds, at, share })
    return share
  }

  const metricsOf = async (row: Instance, usage: MachineUsage | null): Promise<Metrics> => ({
    cpu_usage: usage ? shareOf(row, usage) : null,
    mem_usage: usage && usage.ramBytes !== null ? percent(usage.ramBytes / (row.flavor.ram * MiB)) : null,
    ...(await blocksOf(engine, row)),
  })

  return {
    async stat(scope, id) {
      const row = await engine.records.transaction((tx) => getOwn<Instance>(tx, 'server', scope, id))
      const usage = await machines.usage(id)
      return {
        at: new Date().toISOString(),
        ...(await metricsOf(row, usage)),
        disks: (usage?.disks ?? []).map((disk) => ({
          id: disk.id,
          read_bytes: disk.readBytes,
          write_bytes: disk.writtenBytes,
          read_ops: disk.readOps,
          write_ops: disk.writeOps,
        })),
        nics: (usage?.nics ?? []).map((nic) => ({ id: nic.id, rx_bytes: nic.receivedBytes, tx_bytes: nic.sentBytes })),
      }
    },

    async refresh() {
      const running = (await machines.known()).filter(({ state }) => state === 'running')
      // a set, because both lists can be long
      const isRunning = new Set(running.map(({ id }) => id))
      for (const id of looks.keys()) if (!isRunning.has(id)) looks.delete(id)
      const from = running.length > mostPerRound ? turn % running.length : 0
      turn += mostPerRound
      const ids = [...running.slice(from), ...running.slice(0, from)].slice(0, mostPerRound).map(({ id }) => id)
      for (let at = 0; at < ids.length; at += rowsPerTransaction) {
        await refreshRows(ids.slice(at, at + rowsPerTransaction))
      }
    },
  }

  async function refreshRows(ids: string[]): Promise<void> {
    const rows = await engine.records.transaction((tx) => Promise.all(ids.map((id) => tx.get<Instance>('server', id))))
    const fresh: { id: string; metrics: Metrics }[] = []
    for (const row of rows) {
      if (!row || !instanceIsRunning(row)) continue
      const metrics = await metricsOf(row, await machines.usage(row.id))
      if (isWorthTelling(row.statistics.metrics, metrics)) fresh.push({ id: row.id, metrics })
    }
    if (fresh.length === 0) return
    await engine.records.transaction(async (tx) => {
      for (const { id, metrics } of fresh) {
        const row = await tx.lock<Instance>('server', id)
        if (row && instanceIsRunning(row)) await tx.put('server', { ...row, statistics: { metrics } })
      }
    })
  }
}

const percent = (share: number) => Math.round(Math.min(1, Math.max(0, share)) * 1000) / 10

async function blocksOf({ files }: Engine, row: Instance): Promise<Pick<Metrics, 'block_capacity' | 'block_usage'>> {
  if (row.volumes.length === 0) return { block_capacity: stopped.block_capacity, block_usage: stopped.block_usage }
  const used = await Promise.all(
    row.volumes.map(({ id }) =>
      fileStat(files.volume(id)).then(
        ({ blocks }) => blocks * 512,
        () => 0,
      ),
    ),
  )
  return {
    block_capacity: row.volumes.reduce((sum, { size }) => sum + size, 0),
    block_usage: used.reduce((sum, bytes) => sum + bytes, 0),
  }
}

/**
 * Whether a share changed by more than one percentage point, or disk usage by more than 10%. Each row change is sent to
 * everyone who is viewing the row.
 */
function isWorthTelling(before: Metrics, after: Metrics): boolean {
  const differs = (one: number | null, other: number | null, by: number) =>
    (one === null) !== (other === null) || Math.abs((one ?? 0) - (other ?? 0)) > by
  return (
    differs(before.cpu_usage, after.cpu_usage, 1) ||
    differs(before.mem_usage, after.mem_usage, 1) ||
    differs(before.block_capacity, after.block_capacity, 0) ||
    differs(before.block_usage, after.block_usage, Math.max(MiB, (before.block_usage ?? 0) / 10))
  )
}
