import { sessionNow } from './session'

/** How long the user has been inactive, shared by all tabs (S1§3). */
interface LeaveTime {
  /** Seconds without keyboard or pointer activity. */
  value: number
  /** When `value` was measured, in ms since 1970. */
  timestamp: number
  /** Whether the user was signed out for inactivity. */
  isOver?: boolean
}

export const leaveTimeKey = () => `leaveTime-${sessionNow().panel?.panel === 'admin' ? 'admin' : 'self-service'}`

// fallback when storage is blocked: each tab counts separately
let own: LeaveTime | null = null

function read(): LeaveTime | null {
  try {
    const kept = JSON.parse(localStorage.getItem(leaveTimeKey()) ?? 'null') as Partial<LeaveTime> | null
    return typeof kept?.value === 'number' && typeof kept.timestamp === 'number' ? (kept as LeaveTime) : own
  } catch {
    return own
  }
}

/** Records the seconds of inactivity: 0 on activity. `isOver` marks the idle sign-out. */
export function writeLeaveTime(seconds: number, isOver = false) {
  own = { value: seconds, timestamp: Date.now(), ...(isOver && { isOver }) }
  try {
    localStorage.setItem(leaveTimeKey(), JSON.stringify(own))
  } catch {
    // storage is blocked
  }
}

/** Seconds since the last activity in any tab. */
export function idleSeconds(): number {
  const record = read()
  return record ? record.value + Math.max(0, Date.now() - record.timestamp) / 1000 : 0
}

const justNowMs = 10_000

/** Minutes of inactivity if the user has just been signed out for inactivity, in any tab; otherwise null. */
export function minutesAway(): number | null {
  const record = read()
  const isJustNow = record?.isOver === true && Date.now() - record.timestamp < justNowMs
  return isJustNow ? Math.max(1, Math.round(record.value / 60)) : null
}
