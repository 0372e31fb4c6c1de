import { create } from 'zustand'
import { useNotices } from '../notices/notices'
import { isInFrame } from './embedding'
import { idleSeconds, writeLeaveTime } from './leave-time'
import { sessionNow } from './session'
import { signOut } from './sign-out'

/** Length of the warning before the sign-out, in seconds; at most half of the limit. */
export const warnSeconds = 60
/** Debounce interval for keyboard and pointer events (S1§9). */
export const activityMs = 300
const activity = ['mousemove', 'keydown', 'click', 'touchstart'] as const

interface Idle {
  /** Time until the sign-out; null before the warning. */
  secondsLeft: number | null
  /** Minutes of inactivity when the warning appears. */
  minutes: number
}

export const useIdle = create<Idle>()(() => ({ secondsLeft: null, minutes: 0 }))

const suspensions = new Set<symbol>()
let suspendedAt: number | undefined

/** Pauses the idle counter in all tabs during unattended work. Returns a function that resumes it. */
export function suspendIdle(): () => void {
  const reason = Symbol('work')
  suspendedAt ??= idleSeconds()
  suspensions.add(reason)
  return () => {
    suspensions.delete(reason)
    if (suspensions.size > 0 || suspendedAt === undefined) return
    writeLeaveTime(suspendedAt)
    suspendedAt = undefined
  }
}

/** Whether a sign-out would interrupt an upload or a bulk run. */
const isHeld = () =>
  useNotices.getState().notices.some(({ type, preventReload }) => type === 'progress' && preventReload)

/** Resets the idle counter. */
export function resetIdle() {
  if (suspendedAt !== undefined) suspendedAt = 0
  writeLeaveTime(0)
  useIdle.setState({ secondsLeft: null })
}

/**
 * Signs the user out after this many minutes without activity in any tab, after a warning. Does nothing for a limit of
 * 0 or when embedded in another page (S1§4). Returns a function that stops the counter.
 */
export function followIdle(limitMinutes: number): () => void {
  if (limitMinutes <= 0 || isInFrame()) return () => {}
  const limit = limitMinutes * 60
  const warnAt = limit - Math.min(warnSeconds, limit / 2)
  let heard: ReturnType<typeof setTimeout> | undefined
  let resume: (() => void) | undefined

  const onActivity = () => {
    clearTimeout(heard)
    heard = setTimeout(() => {
      heard = undefined
      resetIdle()
    }, activityMs)
  }
  const tick = () => {
    if (isHeld()) resume ??= suspendIdle()
    else {
      resume?.()
      resume = undefined
    }
    // keeps the record up to date for the other tabs
    if (suspendedAt !== undefined) return writeLeaveTime(suspendedAt)
    const { user, isExpired, isRestarting } = sessionNow()
    // pending activity is handled first; without a session or a running server, there is nothing to end
    if (!user || isExpired || isRestarting || heard !== undefined) return
    const seconds = idleSeconds()
    if (seconds >= limit) {
      useIdle.setState({ secondsLeft: null })
      writeLeaveTime(limit, true)
      return void signOut({ keepsDrafts: true })
    }
    useIdle.setState({
      secondsLeft: seconds >= warnAt ? Math.ceil(limit - seconds) : null,
      minutes: Math.floor(warnAt / 60),
    })
  }

  resetIdle()
  for (const type of activity) addEventListener(type, onActivity, { passive: true, capture: true })
  const timer = setInterval(tick, 1000)
  return () => {
    for (const type of activity) removeEventListener(type, onActivity, { capture: true })
    clearInterval(timer)
    clearTimeout(heard)
    resume?.()
    useIdle.setState({ secondsLeft: null })
  }
}
