import { handOverFaults, type HandOverFault } from '@mainstay/contract/identity/hand-over'

/** A notice shown when the sign-in page opens. */
export type SignInNotice =
  | { kind: 'signed-out' }
  /** The user was inactive for this many minutes. */
  | { kind: 'idle'; minutes: number }
  | { kind: 'unknown-provider' }
  /** `id` is the request ID for the server log. */
  | { kind: 'failed'; reason: HandOverFault; id: string | null }

const safeId = /^[\w.-]{8,64}$/

/**
 * Reads the notice from the query string. Anyone can craft such a link, so only known reasons, an ID and a number are
 * accepted.
 */
export function noticeOf(search: URLSearchParams): SignInNotice | undefined {
  if (search.get('failed') === 'true') {
    const [reason, id] = [search.get('reason'), search.get('id')]
    return {
      kind: 'failed',
      reason: handOverFaults.find((it) => it === reason) ?? 'unknown',
      id: id !== null && safeId.test(id) ? id : null,
    }
  }
  const away = search.get('idle') ?? ''
  if (/^[1-9]\d{0,3}$/.test(away)) return { kind: 'idle', minutes: Number(away) }
  return search.get('logout') === 'true' ? { kind: 'signed-out' } : undefined
}
