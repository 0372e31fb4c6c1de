import { handOverFaults, type HandOverFault } from '@mainstay/contract/identity/hand-over'

/** What the sign-in page has to say before anything is typed. */
export type SignInNotice =
  | { kind: 'signed-out' }
  /** Nobody was there for so many minutes. */
  | { kind: 'idle'; minutes: number }
  | { kind: 'unknown-provider' }
  /** `id`: under which the server's log tells more. */
  | { kind: 'failed'; reason: HandOverFault; id: string | null }

const safeId = /^[\w.-]{8,64}$/

/** From what stands after `?` in the address, which anybody may have written: nothing of it is shown but an id and a number. */
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
