import { jobPools, type JobPool } from '@mainstay/engines/ports/records'

/** Capacity of a pool on one server: concurrent jobs in total and per project. */
export interface PoolSize {
  slots: number
  perProject: number
}

/** Capacity of each pool on each server. A waiting job (`RunAgain`) does not take up a slot. */
export const poolSizes: Record<JobPool, PoolSize> = {
  // short work that a user is waiting for, on instances, volumes and rows
  interactive: { slots: 48, perProject: 16 },
  // bulk data: reading, verifying and converting image files
  bulk: { slots: 8, perProject: 2 },
  // downloads, which may be slow
  transfer: { slots: 16, perProject: 2 },
  // single polls of operations in a cloud
  follow: { slots: 32, perProject: 16 },
}

/**
 * Limits how many jobs that were running when a server died may run at the same time, because any of them may be the
 * cause.
 */
export const SUSPECTS_AT_ONCE = 4

export interface Room {
  pool: JobPool
  /** Names of this pool's jobs for which this server has a handler. */
  names: string[]
  slots: number
  per_project: number
  /** Number of jobs running on this server, by project. */
  busy: Record<string, number>
}

/** The pools that have free capacity on this server. */
export function freeRooms(
  sizes: Record<JobPool, PoolSize>,
  known: ReadonlyMap<string, { pool?: JobPool }>,
  running: Iterable<{ job: { name: string; project_id: string } }>,
): Room[] {
  const poolOf = (name: string): JobPool => known.get(name)?.pool ?? 'interactive'
  const rooms = new Map<JobPool, Room>(
    jobPools.map((pool) => {
      const { slots, perProject } = sizes[pool]
      return [pool, { pool, names: [], slots, per_project: perProject, busy: {} }]
    }),
  )
  for (const name of known.keys()) rooms.get(poolOf(name))!.names.push(name)
  for (const { job } of running) {
    const room = rooms.get(poolOf(job.name))!
    room.slots--
    room.busy[job.project_id] = (room.busy[job.project_id] ?? 0) + 1
  }
  return [...rooms.values()].filter(({ names, slots }) => names.length > 0 && slots > 0)
}
