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

/** The right to be the one server whose machine is the cloud. */
export interface EngineLease {
  /** The same records, which are written only while the right is held. */
  guard(records: RecordsAndTables): RecordsAndTables
  /** Fires when another server has taken over: this one must stop. */
  lost: AbortSignal
  release(): Promise<void>
}

/**
 * Makes this server the only one that is the engine of its database, and the only one of its data folder. Throws an
 * error for people, who holds it, where there is another one. Of a server that was killed it is free within seconds,
 * and at once for the next one on the same folder.
 */
export async function takeEngineLease(store: Store, dataFolder: string, log: Log): Promise<EngineLease> {
  await mkdir(dataFolder, { recursive: true, mode: 0o700 })
  // the database of the data folder has locked it already
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
        `Another server is the engine of this database: ${lease.heldBy}. Stop that one, or give this one a database of ` +
          'its own with DATABASE_URL; several servers may share a database when their engine is a cloud (MAINSTAY_CLOUD)',
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
            // before it is committed
            refuse()
            return result
          })
        },
      }),
      lost: lease.lost,
      async release() {
        await lease
          .release()
          .catch((error: unknown) => log.warn({ error }, 'the lease of the engine runs out by itself'))
        await lock?.release()
      },
    }
  } catch (error) {
    await lock?.release()
    throw error
  }
}

/** A folder on a kernel, until it is restarted: with its lock in hand, nobody else can be there. */
async function placeOf(folder: string): Promise<string> {
  const { dev, ino } = await stat(folder)
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => hostname())
  return `${boot.trim()} ${dev}:${ino}`
}
