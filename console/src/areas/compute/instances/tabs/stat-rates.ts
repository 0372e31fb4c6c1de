import type { InstanceStat } from '@mainstay/contract/compute/instances'
import type { MetricSeries as History } from '../../../../patterns/charts/metric-series'

/** Chart values for an instance: percentages from 0 to 100, and bytes per second since the previous reading. */
export interface InstanceRates {
  at: number
  cpu: number | null
  memory: number | null
  read: number | null
  write: number | null
  received: number | null
  sent: number | null
}

const sum = <Item>(items: readonly Item[], of: (item: Item) => number) =>
  items.reduce((total, item) => total + of(item), 0)

/** Counters are reset when the instance restarts, so a decrease has no rate. */
const rate = (now: number, before: number | undefined, seconds: number): number | null =>
  before === undefined || now < before || seconds <= 0 ? null : (now - before) / seconds

/** Values of a reading, with rates since the previous reading. */
export function ratesBetween(now: InstanceStat, before: InstanceStat | undefined): InstanceRates {
  const at = Date.parse(now.at)
  const seconds = before ? (at - Date.parse(before.at)) / 1000 : 0
  const between = (of: (stat: InstanceStat) => number) => rate(of(now), before && of(before), seconds)
  return {
    at,
    cpu: now.cpu_usage,
    memory: now.mem_usage,
    read: between(({ disks }) => sum(disks, (disk) => disk.read_bytes)),
    write: between(({ disks }) => sum(disks, (disk) => disk.write_bytes)),
    received: between(({ nics }) => sum(nics, (nic) => nic.rx_bytes)),
    sent: between(({ nics }) => sum(nics, (nic) => nic.tx_bytes)),
  }
}

/** Converts the results of the `instanceQueries` `cpu`, `memory`, `read`, `write`, `received` and `sent`. */
export function fromHistory({ times, rows }: History, memoryBytes: number): InstanceRates[] {
  const [cpu, memory, read, write, received, sent] = rows
  const share = (value: number | null | undefined, whole: number) => (value == null ? null : (100 * value) / whole)
  return times.map((time, index) => ({
    at: time * 1000,
    cpu: share(cpu?.[index], 1),
    memory: share(memory?.[index], memoryBytes),
    read: read?.[index] ?? null,
    write: write?.[index] ?? null,
    received: received?.[index] ?? null,
    sent: sent?.[index] ?? null,
  }))
}
