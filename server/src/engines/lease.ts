import { mkdir, readFile, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import process from 'node:process'
import { problem } from '@mainstay/contract/core/problems'
import type { RecordsAndTables } from '@mainstay/engines/ports/engine'
import type { Log } from '@mainstay/engines/ports/records'
import { lockFolder } from '../store/folder-lock'
import { takeStandingLease } from '../store/lease'
import type { Store } from '../store/store'

const NAME = 'engine:embedded'
const SECONDS = 6

/** The exclusive right to run the embedded engine on a database. */
export interface EngineLease {
  /** Wraps the records so that they can be written only while the lease is held. */
  guard(records: RecordsAndTables): RecordsAndTables
  /** Aborts when another server takes over; this server must then stop. */
  lost: AbortSignal
  release(): Promise<void>
}

/**
 * Makes this server the only engine on its database and the only user of its data folder. Throws an error that names
 * the holder if another server holds the lease. A killed server's lease expires within seconds; a server that starts on
 * the same folder can take it immediately.
 */
export async function takeEngineLease(store: Store, dataFolder: string, log: Log): Promise<EngineLease> {
  await mkdir(dataFolder, { recursive: true, mode: 0o700 })
  // an embedded database has already locked the data folder
  const lock = store.isEmbedded ? null : await lockFolder(dataFolder)
  try {
    const lease = await takeStandingLease(store.db, log, {
      name: NAME,
      holder: `process ${process.pid} on ${hostname()}, with the data folder ${dataFolder}`,
      place: await placeOf(dataFolder),
      seconds: SECONDS,
    })
    if ('heldBy' in lease) {
      throw new Error(
        `Another server is the engine of this database: ${lease.heldBy}. Stop it, or give this server a database of ` +
          'its own with DATABASE_URL; servers can share a database only when their engine is a cloud (MAINSTAY_CLOUD)',
      )
    }
    const refuse = (): void => {
      if (lease.isHeld()) return
      throw problem('core.lease_lost', {}, { data: { retry_after: 2 } })
    }
    return {
      guard: (records) => ({
        ...records,
        transaction: async (work) => {
          refuse()
          return records.transaction(async (tx, sql) => {
            const result = await work(tx, sql)
            // check again before committing
            refuse()
            return result
          })
        },
      }),
      lost: lease.lost,
      async release() {
        await lease
          .release()
          .catch((error: unknown) => log.warn({ error }, 'failed to release the engine lease; it will expire'))
        await lock?.release()
      },
    }
  } catch (error) {
    await lock?.release()
    throw error
  }
}

/** Identifies a folder until the host reboots. Only one server at a time can hold the lock on it. */
async function placeOf(folder: string): Promise<string> {
  const { dev, ino } = await stat(folder)
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => hostname())
  return `${boot.trim()} ${dev}:${ino}`
}
