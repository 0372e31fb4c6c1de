import type { Log } from '@mainstay/engines/ports/records'
import { sql, type Kysely } from 'kysely'
import type { Database } from '../store/schema'

export const CHANGED_CHANNEL = 'mainstay_changed'
/** What is committed within this time is announced together. */
const TOGETHER_MS = 20

/** Tells all servers what was committed here. */
export interface Announcements {
  /**
   * Has a channel notified soon, after the transaction: `notify` inside of one makes all that commit wait for one
   * another. Should it fail, whoever listens finds out the next time it looks by itself.
   */
  announce(channel: string): void
  close(): void
}

export function createAnnouncements(db: Kysely<Database>, log: Log): Announcements {
  const waiting = new Set<string>()
  let timer: NodeJS.Timeout | null = null
  let isSending = false
  let sentAt = -Infinity

  function plan(): void {
    if (timer || isSending || waiting.size === 0) return
    // what comes after a rest is told at once
    timer = setTimeout(() => void send(), Math.max(0, sentAt + TOGETHER_MS - performance.now()))
    timer.unref()
  }

  async function send(): Promise<void> {
    timer = null
    isSending = true
    sentAt = performance.now()
    const channels = [...waiting]
    waiting.clear()
    try {
      // numbered with it, so that who is told finds them
      const numbered = channels.includes(CHANGED_CHANNEL) ? sql`number_changes()` : sql`null`
      await sql`select ${numbered}, pg_notify(channel, '') from unnest(${channels}::text[]) as channel`.execute(db)
    } catch (error) {
      log.debug({ error }, 'what was committed could not be announced')
    } finally {
      isSending = false
      plan()
    }
  }

  return {
    announce(channel) {
      waiting.add(channel)
      plan()
    },
    close() {
      if (timer) clearTimeout(timer)
      waiting.clear()
    },
  }
}

/**
 * Gives numbers to the changes that are committed and have none yet; answers the newest number. Everything that was
 * committed before this was called is among the changes up to it, and nothing is added to those later.
 */
export async function numberChanges(db: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ head: number }>`select number_changes() as head`.execute(db)
  return rows[0]!.head
}
