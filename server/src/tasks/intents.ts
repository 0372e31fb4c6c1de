import { randomUUID } from 'node:crypto'
import { endRehearsal } from '@mainstay/engines/ports/rehearsal'
import type { Intent, JobStart } from '@mainstay/engines/ports/records'
import { sql } from 'kysely'
import type { Inventory } from '../inventory/types'
import { DEAD_AFTER_SECONDS, type ThisServer } from '../store/servers'

export interface Intents {
  prepare(job: JobStart): Promise<Intent>
  /** Whether a command of this server's is still being sent under this job. */
  isOpen(id: string): boolean
}

/**
 * Jobs of commands that are being sent: owned by this server from the beginning, so that its heartbeat keeps them, and
 * taken over like any other when it dies. One whose end could not be written down is given back, and finds out itself.
 */
export function createIntents({
  inventory,
  server,
  onLeft,
}: {
  inventory: Inventory
  server: ThisServer
  /** A job was given back and can be taken. */
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
              // nothing waits for it
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
