import { call } from '../api/call'
import { stopPolls } from '../api/poll'
import { session } from '@mainstay/contract/identity/session'
import { forgetKept } from './kept'
import { setSession } from './session'

/**
 * Ends the session here and on the server, and clears permissions and caches. `keepsDrafts` keeps unsent form input for
 * the next sign-in, for cases in which the user did not choose to sign out. The redirect is in nav/follow-session.ts.
 */
export async function signOut({ atProvider = false, keepsDrafts = false } = {}) {
  // without a response the cookie remains until it expires, but the session ends here in any case
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
  // polls for tasks would continue as the previous user
  stopPolls()
  forgetKept({ keepsDrafts })
  const { queryClient } = await import('../api/query-client')
  queryClient.clear()
  if (answer?.address) location.assign(answer.address)
}
