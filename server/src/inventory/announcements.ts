import type { Log } from '@mainstay/engines/ports/records'
import { sql, type Kysely } from 'kysely'
import type { Database } from '../store/schema'

export const CHANGED_CHANNEL = 'mainstay_changed'
/** Commits within this window share one notification. */
const TOGETHER_MS = 20

/** Notifies all servers about transactions that this server has committed. */
export interface Announcements {
  /**
   * Schedules a `notify` on the channel after the commit. A `notify` inside the transaction would serialize all
   * commits. If the notification fails, listeners pick up the change on their next poll.
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
    // send immediately if nothing was sent recently
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
      // number the changes in the same statement, so that the notified servers can see them
      const numbered = channels.includes(CHANGED_CHANNEL) ? sql`number_changes()` : sql`null`
      await sql`select ${numbered}, pg_notify(channel, '') from unnest(${channels}::text[]) as channel`.execute(db)
    } catch (error) {
      log.debug({ error }, 'failed to announce committed changes')
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
 * Numbers all committed changes that have no number yet and returns the highest number. Changes committed before the
 * call have at most that number, and later changes get higher ones.
 */
export async function numberChanges(db: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ head: number }>`select number_changes() as head`.execute(db)
  return rows[0]!.head
}
