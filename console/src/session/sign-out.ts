import { call } from '../api/call'
import { stopPolls } from '../api/poll'
import { session } from '@mainstay/contract/identity/session'
import { forgetKept } from './kept'
import { setSession } from './session'

/**
 * Ends the session here and on the server, and forgets abilities and caches. `keepsDrafts`: nobody chose to leave, so what
 * was typed is there when they are back. What leads to the sign-in page is nav/follow-session.ts.
 */
export async function signOut({ atProvider = false, keepsDrafts = false } = {}) {
  // without an answer the cookie stays until it expires; here it is over all the same
  const answer = await call(atProvider ? session.logoutAtProvider : session.logout, {}, { isUnchecked: true }).catch(
    () => {},
  )
  setSession({
    status: 'signed-out',
    user: null,
    scopedToken: null,
    project: null,
    projects: [],
    meta: null,
    isExpired: false,
    isChangeWaiting: false,
  })
  // waits for tasks ask as who has left
  stopPolls()
  forgetKept({ keepsDrafts })
  const { queryClient } = await import('../api/query-client')
  queryClient.clear()
  if (answer?.address) location.assign(answer.address)
}
