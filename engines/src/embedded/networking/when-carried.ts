import type { JobRun } from '../../ports/records'
import type { Engine } from '../engine'

const TRIES = 10
const AGAIN_MS = 1_000

/**
 * For jobs that wait until the configuration is applied to this host. Returns when to retry while that fails or
 * `isPending` returns true, and null once the configuration is applied or after the last attempt. Throws the error if
 * the last attempt fails.
 */
export async function whenCarried(
  engine: Engine,
  state: JobRun['state'],
  isPending: () => Promise<boolean>,
): Promise<{ again: number; state: { tries: number } } | null> {
  const tries = Number(state['tries'] ?? 0)
  const later = { again: AGAIN_MS, state: { tries: tries + 1 } }
  try {
    await engine.carrier.settled()
  } catch (error) {
    if (tries >= TRIES) throw error
    return later
  }
  return tries < TRIES && (await isPending()) ? later : null
}
