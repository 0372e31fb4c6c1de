import { call } from '../api/call'
import { pollMs } from '../api/live-state'
import { session } from '@mainstay/contract/identity/session'
import { hasUnsavedWork } from '../notices/leave-guard'
import { idleSeconds } from './leave-time'
import { sessionNow, setSession } from './session'

/** Minutes of absence after which a page is loaded anew though nothing answers yet. */
export const leaveMinutes = 5

/** The server said that it stops: waits until it answers again, then loads the page anew (S1§4). */
export function reloadAfterRestart() {
  if (sessionNow().isRestarting) return
  setSession({ isRestarting: true })
  const ask = () => {
    call(session.meta, {}, { isUnchecked: true }).then(
      () => {
        // a form that is half filled in is worth more than a fresh page
        if (hasUnsavedWork()) setSession({ isRestarting: false })
        else location.reload()
      },
      () => {
        // somebody who is away has nothing to lose, and meets the page as it will be (S1§4)
        if (idleSeconds() >= leaveMinutes * 60 && !hasUnsavedWork()) location.reload()
        else setTimeout(ask, pollMs)
      },
    )
  }
  setTimeout(ask, pollMs)
}
