import { randomUUID } from 'node:crypto'
import { endRehearsal } from '@mainstay/engines/ports/rehearsal'
import type { Intent, JobStart } from '@mainstay/engines/ports/records'
import { sql } from 'kysely'
import type { Inventory } from '../inventory/types'
import { DEAD_AFTER_SECONDS, type ThisServer } from '../store/servers'

export interface Intents {
  prepare(job: JobStart): Promise<Intent>
  /** Whether this server is still sending the command to which this job belongs. */
  isOpen(id: string): boolean
}

/**
 * Jobs for commands that are being sent to a cloud. This server owns them from the start, so that its heartbeat keeps
 * them. If it dies, another server takes them over. If the outcome of the command could not be saved, the job is
 * released and then determines the outcome.
 */
export function createIntents({
  inventory,
  server,
  onLeft,
}: {
  inventory: Inventory
  server: ThisServer
  /** Called when a job has been released and can be claimed. */
  onLeft(): void
}): Intents {
  const open = new Set<string>()
  const owner = server.epoch

  return {
    isOpen: (id) => open.has(id),
    async prepare({ name, subject, args, scope }) {
      endRehearsal()
      const id = randomUUID()
      open.add(id)
      try {
        await inventory.transaction((_, db) =>
          db
            .insertInto('job')
            .values({
              id,
              name,
              // no other job waits for this one
              subject_key: id,
              subject: JSON.stringify(subject),
              args: JSON.stringify(args),
              scope: JSON.stringify(scope),
              prepared: true,
              attempt: 1,
              owner,
              lease_until: sql`now() + make_interval(secs => ${DEAD_AFTER_SECONDS})`,
            })
            .execute(),
        )
      } catch (error) {
        open.delete(id)
        throw error
      }
      const end = async (next: readonly JobStart[]): Promise<void> => {
        try {
          await inventory.transaction(async (records, db) => {
            await db
              .deleteFrom('job')
              .where('id', '=', id)
              .where('owner', '=', owner)
              .where('attempt', '=', 1)
              .execute()
            for (const job of next) await records.startJob(job)
          })
        } finally {
          open.delete(id)
        }
      }
      return {
        id,
        done: (next) => end(next),
        withdraw: () => end([]),
        async leave() {
          try {
            await inventory.transaction((_, db) =>
              sql`
                update job set owner = null, lease_until = null, args = args || '{"told": true}'
                where id = ${id} and owner = ${owner} and attempt = 1`.execute(db),
            )
          } finally {
            open.delete(id)
          }
          onLeft()
        },
      }
    },
  }
}
