import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PoolTraffic } from '../../../network-model/wanted-balancers'

/*
 * What a balancer has passed on since it was made. HAProxy counts from its start, and one that is killed has told nobody: so what each
 * process was seen to have counted is kept beside its configuration, and figures never fall.
 */

/** By the ids of pools. */
export type Counted = Record<string, PoolTraffic>

interface Kept {
  /** The process that was seen last, by its number and when it began, and what it had counted. */
  process: string
  seen: Counted
  /** What those before it had counted. */
  before: Counted
  /** Those before, of which answers may come late. */
  former: string[]
}

const file = 'counted.json'
const formerKept = 5
const fields = ['total', 'bytesIn', 'bytesOut', 'errors'] as const

/** Takes note of what a process counted since its start, and answers what has been counted altogether. */
export function countedWith(folder: string, process: string, now: Counted): Counted {
  const kept = readKept(folder)
  if (kept.former.includes(process)) return altogether(kept)
  const next: Kept =
    kept.process === process
      ? { ...kept, seen: merged(kept.seen, now, Math.max) }
      : {
          ...{ process, seen: now },
          // pools that are gone do not come back
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

/** What has been counted, while nobody answers: no connection is known of. */
export const countedSoFar = (folder: string): Counted =>
  Object.fromEntries(Object.entries(altogether(readKept(folder))).map(([id, it]) => [id, { ...it, active: 0 }]))

const altogether = ({ before, seen }: Kept): Counted => merged(before, seen, (one, other) => one + other)

const nothing: PoolTraffic = { active: 0, total: 0, bytesIn: 0, bytesOut: 0, errors: 0 }

/** `active` is that of the second. */
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
