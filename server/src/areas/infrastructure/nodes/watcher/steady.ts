import type { HostDisk, HostFacts } from '@mainstay/contract/infrastructure/node-facts'

/*
 * Every change to a row is a revision that is sent to all open consoles. Metrics that change with every reading are
 * therefore rounded, and replace the previous values only if they differ noticeably.
 */

/** Returns the new value, or the previous one if they differ by less than `step`. */
const kept = <Value extends number | null>(before: Value | undefined, now: Value, step: number): Value =>
  typeof before === 'number' && now !== null && Math.abs(now - before) < step ? before : now

const round = (value: number, unit: number): number => Math.round(value / unit) * unit
/** Rounds a fraction to two decimal places. */
const percent = (value: number): number => Math.round(value * 100) / 100

const USAGE_STEP = 0.1
const SHARE_STEP = 0.01
const LEAST_LOAD_STEP = 1
const LOAD_SHARE_STEP = 0.2
const BOOT_STEP_MS = 10_000
const CLOCK_STEP_MS = 250
const WARMTH_STEP = 3

/** Returns the facts of a new reading, with the metrics of the previous reading where they are practically the same. */
export function steadyFacts(before: HostFacts | null, now: HostFacts): HostFacts {
  const { cpu, memory } = now
  const usage = cpu.usage === null ? null : kept(before?.cpu.usage, percent(cpu.usage), USAGE_STEP)
  const load = cpu.load.map((value, at) => {
    const previous = before?.cpu.load[at]
    return kept(previous, round(value, 0.01), Math.max(LEAST_LOAD_STEP, (previous ?? 0) * LOAD_SHARE_STEP))
  }) as HostFacts['cpu']['load']
  const knownDisks = new Map(before?.disks.map((disk) => [disk.key, disk]))
  return {
    ...now,
    cpu: { ...cpu, usage, load: load.map((value) => Number(value.toFixed(2))) as typeof load },
    memory: {
      ...memory,
      available: kept(before?.memory.available, memory.available, memory.total * SHARE_STEP),
      swap_free: kept(before?.memory.swap_free, memory.swap_free, memory.swap_total * SHARE_STEP),
    },
    booted_at:
      before && Math.abs(Date.parse(before.booted_at) - Date.parse(now.booted_at)) < BOOT_STEP_MS
        ? before.booted_at
        : now.booted_at,
    clock_offset_ms: Math.round(kept(before?.clock_offset_ms, now.clock_offset_ms, CLOCK_STEP_MS)),
    disks: now.disks.map((disk) => steadyDisk(knownDisks.get(disk.key), disk)),
  }
}

const steadyDisk = (before: HostDisk | undefined, now: HostDisk): HostDisk => ({
  ...now,
  used: kept(before?.used, now.used, now.size * SHARE_STEP),
  temperature: kept(before?.temperature, now.temperature, WARMTH_STEP),
})
