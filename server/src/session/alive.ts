/** Limits on the lifetime of a session, in seconds. */
export interface SessionLimits {
  /** Counted from sign-in, regardless of activity. */
  absoluteSeconds: number
  /** Counted from the last call. */
  idleSeconds: number
}
export const sessionLimits: SessionLimits = { absoluteSeconds: 12 * 3600, idleSeconds: 8 * 3600 }

export const addSeconds = (at: Date, seconds: number): Date => new Date(at.getTime() + seconds * 1000)

/** SQL condition for a live session `s`. Uses the parameters $2 to $4, which `aliveAt` returns. */
export const isAlive = `s.ended_at is null
  and (s.expires_at > $4 or s.expires_at is null and s.created_at > $2 and s.last_used_at > $3)
  and (s.credential_expires_at is null or s.credential_expires_at > $4)`

export const aliveAt = (now: Date, { absoluteSeconds, idleSeconds }: SessionLimits): Date[] => [
  addSeconds(now, -absoluteSeconds),
  addSeconds(now, -idleSeconds),
  now,
]

/** When a session expires if it is not used again. */
export function endOf(
  {
    created_at,
    last_used_at,
    credential_expires_at,
  }: Record<'created_at' | 'last_used_at', Date> & {
    credential_expires_at: Date | null
  },
  { absoluteSeconds, idleSeconds }: SessionLimits,
): Date {
  const ends = [addSeconds(created_at, absoluteSeconds), addSeconds(last_used_at, idleSeconds), credential_expires_at]
  return new Date(Math.min(...ends.flatMap((end) => (end ? [end.getTime()] : []))))
}
