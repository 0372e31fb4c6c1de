import { Problem, type Refusal } from '@mainstay/contract/core/problems'
import { currentCall, withinCall } from './call-context'

/*
 * Dry runs of commands. A rehearsal runs the command up to its first change and stops there, so that exactly the checks
 * of the command apply. The flag travels with the call context, so that no command can ignore it: transactions do not
 * commit, and nothing is sent to a cloud.
 */

/** Thrown when a rehearsal reaches the first change. */
class ReachedChange extends Error {}

/** Runs a command as a rehearsal, which changes nothing. Throws the error with which the command would be refused. */
async function rehearse(command: () => Promise<unknown>): Promise<void> {
  try {
    await withinCall({ isRehearsal: true }, command)
  } catch (error) {
    if (!(error instanceof ReachedChange)) throw error
  }
}

/** Returns why a command would be refused now; null if it would be accepted. Other errors are thrown. */
export async function refusalOf(command: () => Promise<unknown>): Promise<Refusal | null> {
  try {
    await rehearse(command)
    return null
  } catch (error) {
    if (error instanceof Problem && error.status < 500)
      return { code: error.code, message: error.message, said: error.said }
    throw error
  }
}

/** Call before the first permanent change: ends the command in a rehearsal. */
export function endRehearsal(): void {
  // a rehearsal may leave a timer or listener behind, and its later calls must not change anything either
  if (currentCall().isRehearsal) throw new ReachedChange('a dry run changes nothing')
}
