import { call } from '../api/call'
import { pollMs } from '../api/live-state'
import { session } from '@mainstay/contract/identity/session'
import { hasUnsavedWork } from '../notices/leave-guard'
import { idleSeconds } from './leave-time'
import { sessionNow, setSession } from './session'

/** Minutes of inactivity after which the page is reloaded even if the server does not respond yet. */
export const leaveMinutes = 5

/**
 * Called when the server announces that it is about to stop: polls until it responds again, then reloads the page
 * (S1§4).
 */
export function reloadAfterRestart() {
  if (sessionNow().isRestarting) return
  setSession({ isRestarting: true })
  const ask = () => {
    call(session.meta, {}, { isUnchecked: true }).then(
      () => {
        // do not discard unsaved form input by reloading
        if (hasUnsavedWork()) setSession({ isRestarting: false })
        else location.reload()
      },
      () => {
        // an inactive user loses nothing when the page is reloaded (S1§4)
        if (idleSeconds() >= leaveMinutes * 60 && !hasUnsavedWork()) location.reload()
        else setTimeout(ask, pollMs)
      },
    )
  }
  setTimeout(ask, pollMs)
}
