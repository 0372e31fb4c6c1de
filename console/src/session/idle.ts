import { create } from 'zustand'
import { useNotices } from '../notices/notices'
import { isInFrame } from './embedding'
import { idleSeconds, writeLeaveTime } from './leave-time'
import { sessionNow } from './session'
import { signOut } from './sign-out'

/** Before the end the person is asked whether they are there; half the time where there is less. */
export const warnSeconds = 60
/** Keys and pointers come in crowds (S1§9). */
export const activityMs = 300
const activity = ['mousemove', 'keydown', 'click', 'touchstart'] as const

interface Idle {
  /** Until the person is signed out; null while that is far away. */
  secondsLeft: number | null
  /** For how long nobody has done anything when the person is asked. */
  minutes: number
}

export const useIdle = create<Idle>()(() => ({ secondsLeft: null, minutes: 0 }))

const suspensions = new Set<symbol>()
let suspendedAt: number | undefined

/** Stops the counter, in all tabs: work goes on for which nobody has to be there. Gives back how it goes on. */
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

/** An upload, or a run over many things, would be broken off. */
const isHeld = () =>
  useNotices.getState().notices.some(({ type, preventReload }) => type === 'progress' && preventReload)

/** Somebody is there. */
export function resetIdle() {
  if (suspendedAt !== undefined) suspendedAt = 0
  writeLeaveTime(0)
  useIdle.setState({ secondsLeft: null })
}

/**
 * Signs out whoever does nothing for so many minutes, in any tab, and asks before. 0: never, as in a page of somebody else's
 * that holds this one in a frame (S1§4). Gives back how to end it.
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
    // other tabs read the same record
    if (suspendedAt !== undefined) return writeLeaveTime(suspendedAt)
    const { user, isExpired, isRestarting } = sessionNow()
    // somebody who comes back just now is heard first; without a session, or a server, there is nothing to end
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
