import { call } from '../api/call'
import { session } from '@mainstay/contract/identity/session'
import { forgetKept } from './kept'
import { setSession } from './session'

/**
 * Ends the session here and on the server, and forgets abilities and caches. What leads to the sign-in page is
 * nav/follow-session.ts.
 */
export async function signOut() {
  // without an answer the cookie stays until it expires; here it is over all the same
  await call(session.logout, {}, { isUnchecked: true }).catch(() => {})
  setSession({
    status: 'signed-out',
    user: null,
    scopedToken: null,
    project: null,
    projects: [],
    meta: null,
    isExpired: false,
  })
  forgetKept()
  const { queryClient } = await import('../api/query-client')
  queryClient.clear()
}
