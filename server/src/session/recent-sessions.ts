import type { SignedIn } from './signed-in'
import { hashToken } from './tokens'
import type { Sessions } from './types'

/** How long a result of `resolve` is reused, in milliseconds. */
const KNOWN_FOR_MS = 1000
const MOST_KNOWN = 10_000

/**
 * Caches resolved tokens for clients that make many calls per second, such as S3 clients. Each token is looked up once
 * per second. Sessions ended on this server and announced changes to rights take effect on the next call, and
 * everything else within a second.
 */
export function createRecentSessions(
  sessions: Pick<Sessions, 'resolve' | 'onEnded' | 'rightsChanges'>,
): Pick<Sessions, 'resolve'> {
  const known = new Map<string, SignedIn>()
  // used to discard a lookup if something changed while it was running
  let changes = 0
  const forget = () => {
    changes += 1
    known.clear()
  }
  sessions.onEnded(forget)
  sessions.rightsChanges.onChanged(forget)

  async function look(key: string, ...asked: Parameters<Sessions['resolve']>): Promise<SignedIn> {
    const before = changes
    const signedIn = await sessions.resolve(...asked)
    if (changes !== before) return signedIn
    if (known.size >= MOST_KNOWN) known.clear()
    known.set(key, signedIn)
    setTimeout(() => known.get(key) === signedIn && known.delete(key), KNOWN_FOR_MS).unref()
    return signedIn
  }

  return {
    async resolve(token, requestId, options = {}) {
      const key = `${hashToken(token).toString('base64')} ${options.projectId ?? ''} ${options.panel ?? ''}`
      const signedIn = known.get(key) ?? (await look(key, token, requestId, options))
      return { ...signedIn, scope: { ...signedIn.scope, request_id: requestId } }
    },
  }
}
