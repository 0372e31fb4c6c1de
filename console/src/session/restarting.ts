import { call } from '../api/call'
import { pollMs } from '../api/live-state'
import { session } from '@mainstay/contract/identity/session'
import { hasUnsavedWork } from '../notices/leave-guard'
import { sessionNow, setSession } from './session'

/** The server said that it stops: waits until it answers again, then loads the page anew (S1§4). */
export function whenAboutToStop() {
  if (sessionNow().isRestarting) return
  setSession({ isRestarting: true })
  const ask = () => {
    call(session.meta, {}, { isUnchecked: true }).then(
      () => {
        // a form that is half filled in is worth more than a fresh page
        if (hasUnsavedWork()) setSession({ isRestarting: false })
        else location.reload()
      },
      () => setTimeout(ask, pollMs),
    )
  }
  setTimeout(ask, pollMs)
}
