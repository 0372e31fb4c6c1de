import { Problem, type Refusal } from '@mainstay/contract/core/problems'
import { currentCall, withinCall } from './call-context'

/*
 * Dry runs of commands: a rehearsal runs the command up to its first change and stops there, so that it applies exactly
 * the checks of the command. The flag travels with the call context, so that no command can miss it: transactions do
 * not commit, and nothing is sent to a cloud.
 */

/** Thrown when a rehearsal reaches the first change. */
class ReachedChange extends Error {}

/** Runs a command as a rehearsal. Throws the error with which it is refused; changes nothing. */
async function rehearse(command: () => Promise<unknown>): Promise<void> {
  try {
    await withinCall({ isRehearsal: true }, command)
  } catch (error) {
    if (!(error instanceof ReachedChange)) throw error
  }
}

/** Why a command would be refused now; null if it would not be. Other errors are thrown. */
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
  // rehearsals may leave a timer or listener behind, whose later calls change nothing either
  if (currentCall().isRehearsal) throw new ReachedChange('a dry run changes nothing')
}
