import { Problem, type Refusal } from '@mainstay/contract/core/problems'
import { currentCall, withinCall } from './call-context'

/*
 * A command can be rehearsed: it runs up to the point where it would change something, and is stopped there. What refuses
 * a command is thereby asked, and nothing else that could differ from it. It travels with the call and not through every
 * command, so that none can forget it: transactions end without a commit, and nothing is sent to a cloud.
 */

/** A rehearsal came to where the command would have changed something. */
class ReachedChange extends Error {}

/** Runs a command as a rehearsal. Throws what refuses it; nothing is changed. */
async function rehearse(command: () => Promise<unknown>): Promise<void> {
  try {
    await withinCall({ isRehearsal: true }, command)
  } catch (error) {
    if (!(error instanceof ReachedChange)) throw error
  }
}

/** What would refuse a command now; null where nothing would. What fails for another reason is thrown. */
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

/** Call it before something is changed for good: in a rehearsal the command ends here. */
export function endRehearsal(): void {
  // what a rehearsal left behind (a timer, a listener) changes nothing either
  if (currentCall().isRehearsal) throw new ReachedChange('a rehearsal changes nothing')
}
