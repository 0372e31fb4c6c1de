import { sessionNow } from './session'

/** Since when nobody has done anything in the console, shared by all tabs (S1§3). */
interface LeaveTime {
  /** Seconds without a key or a pointer. */
  value: number
  /** When that was so, milliseconds since 1970. */
  timestamp: number
  /** Somebody was signed out for it. */
  isOver?: boolean
}

export const leaveTimeKey = () => `leaveTime-${sessionNow().panel?.panel === 'admin' ? 'admin' : 'self-service'}`

// where the browser keeps nothing, each tab counts for itself
let own: LeaveTime | null = null

function read(): LeaveTime | null {
  try {
    const kept = JSON.parse(localStorage.getItem(leaveTimeKey()) ?? 'null') as Partial<LeaveTime> | null
    return typeof kept?.value === 'number' && typeof kept.timestamp === 'number' ? (kept as LeaveTime) : own
  } catch {
    return own
  }
}

/** Says that nobody has done anything for so many seconds: 0 when somebody just did. `isOver`: and is signed out for it. */
export function writeLeaveTime(seconds: number, isOver = false) {
  own = { value: seconds, timestamp: Date.now(), ...(isOver && { isOver }) }
  try {
    localStorage.setItem(leaveTimeKey(), JSON.stringify(own))
  } catch {
    // refused by the browser
  }
}

/** Seconds since somebody did something in any tab. */
export function idleSeconds(): number {
  const record = read()
  return record ? record.value + Math.max(0, Date.now() - record.timestamp) / 1000 : 0
}

const justNowMs = 10_000

/** Minutes of absence for which the person was signed out just now, in this tab or in another; null: not for that. */
export function minutesAway(): number | null {
  const record = read()
  const isJustNow = record?.isOver === true && Date.now() - record.timestamp < justNowMs
  return isJustNow ? Math.max(1, Math.round(record.value / 60)) : null
}
