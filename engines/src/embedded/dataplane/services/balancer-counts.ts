import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PoolTraffic } from '../../../network-model/wanted-balancers'

/*
 * Traffic counters of a load balancer since its creation. HAProxy counts from its own start and loses its counters when
 * it is killed. The last counters read from each process are therefore saved next to its configuration, so that totals
 * never decrease.
 */

/** Traffic by pool ID. */
export type Counted = Record<string, PoolTraffic>

interface Kept {
  /** The last process, identified by PID and start time; `seen`: its last counters. */
  process: string
  seen: Counted
  /** Totals of all earlier processes. */
  before: Counted
  /** Earlier processes, whose late responses are ignored. */
  former: string[]
}

const file = 'counted.json'
const formerKept = 5
const fields = ['total', 'bytesIn', 'bytesOut', 'errors'] as const

/** Records the counters of a process since its start. Returns the totals. */
export function countedWith(folder: string, process: string, now: Counted): Counted {
  const kept = readKept(folder)
  if (kept.former.includes(process)) return altogether(kept)
  const next: Kept =
    kept.process === process
      ? { ...kept, seen: merged(kept.seen, now, Math.max) }
      : {
          ...{ process, seen: now },
          // removed pools are dropped
          before: only(
            now,
            merged(kept.before, kept.seen, (one, other) => one + other),
          ),
          former: [...kept.former, kept.process].slice(-formerKept),
        }
  const text = JSON.stringify(next)
  if (text !== JSON.stringify(kept)) {
    writeFileSync(join(folder, `${file}.part`), text, { mode: 0o600 })
    renameSync(join(folder, `${file}.part`), join(folder, file))
  }
  return altogether(next)
}

/** Returns the totals to report while HAProxy is not running and there are no active connections. */
export const countedSoFar = (folder: string): Counted =>
  Object.fromEntries(Object.entries(altogether(readKept(folder))).map(([id, it]) => [id, { ...it, active: 0 }]))

const altogether = ({ before, seen }: Kept): Counted => merged(before, seen, (one, other) => one + other)

const nothing: PoolTraffic = { active: 0, total: 0, bytesIn: 0, bytesOut: 0, errors: 0 }

/** Merges two sets of counters. The `active` count is taken from `other`. */
function merged(one: Counted, other: Counted, by: (a: number, b: number) => number): Counted {
  const ids = new Set([...Object.keys(one), ...Object.keys(other)])
  return Object.fromEntries(
    [...ids].map((id) => {
      const [a, b] = [one[id] ?? nothing, other[id] ?? nothing]
      const sums = Object.fromEntries(fields.map((field) => [field, by(a[field], b[field])]))
      return [id, { ...nothing, ...sums, active: b.active }]
    }),
  )
}

const only = (now: Counted, counted: Counted): Counted =>
  Object.fromEntries(Object.entries(counted).filter(([id]) => id in now))

function readKept(folder: string): Kept {
  try {
    return JSON.parse(readFileSync(join(folder, file), 'utf8')) as Kept
  } catch {
    return { process: '', seen: {}, before: {}, former: [] }
  }
}
