import { jobPools, type JobPool } from '@mainstay/engines/ports/records'

/** Room of a pool at one server: jobs that run at a time, all together and of one project. */
export interface PoolSize {
  slots: number
  perProject: number
}

/** What runs at each server at a time. A job that waits (`RunAgain`) runs nowhere. */
export const poolSizes: Record<JobPool, PoolSize> = {
  // short work on machines, disks and rows that a person waits for
  interactive: { slots: 48, perProject: 16 },
  // much data at once: image files are read, checked and converted
  bulk: { slots: 8, perProject: 2 },
  // files that are fetched from elsewhere, as slowly as they come
  transfer: { slots: 16, perProject: 2 },
  // one look at what a cloud goes on doing
  follow: { slots: 32, perProject: 16 },
}

/** Jobs that were running when a server died run at most so many at a time: the one that did it is among them. */
export const SUSPECTS_AT_ONCE = 4

export interface Room {
  pool: JobPool
  /** Names of the jobs that this server knows of the pool. */
  names: string[]
  slots: number
  per_project: number
  /** Jobs that run here now, by project. */
  busy: Record<string, number>
}

/** What of each pool is free at this server. */
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
