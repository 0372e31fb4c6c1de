import { setTimeout as pause } from 'node:timers/promises'
import { Problem } from '@mainstay/contract/core/problems'
import type { Log } from '../ports/records'

const AGAIN_MS = 1_000
const GIVE_UP_MS = 600_000

/**
 * Rolls back a failed command. If the records are unreachable, which may be why the command failed, returns immediately
 * and retries in the background, so that nothing is left half-finished until the next start.
 */
export async function takeBack(log: Log, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!isAway(error)) throw error
    void tryOn(log, work)
  }
}

async function tryOn(log: Log, work: () => Promise<unknown>): Promise<void> {
  const began = performance.now()
  while (performance.now() - began < GIVE_UP_MS) {
    await pause(AGAIN_MS, undefined, { ref: false })
    try {
      await work()
      return
    } catch (error) {
      if (isAway(error)) continue
      log.error({ error }, 'failed to roll back a failed command; the next start retries it')
      return
    }
  }
}

const isAway = (error: unknown): boolean => error instanceof Problem && error.code === 'database_unavailable'
