import { setAccessKeeper } from '../api/access'
import { queryClient } from '../api/query-client'
import { checkAccess } from '../session/access-check'
import { sessionNow, setSession } from '../session/session'

/** Resets the session: no user is signed in and the cache is empty. */
export function freshSession() {
  queryClient.clear()
  setSession({
    status: 'signed-out',
    user: null,
    scopedToken: null,
    project: null,
    projects: [],
    meta: null,
    domain: null,
    accessDisabled: null,
    isExpired: false,
    expiredAt: null,
    isChangeWaiting: false,
    takenOverBy: null,
    panel: { panel: 'self-service', version: 'test' },
  })
}

/** Installs the access keeper as the console does at startup. */
export const keepAccess = () =>
  setAccessKeeper({
    scopedToken: () => sessionNow().scopedToken,
    onUnauthorized: checkAccess,
    onAccessDisabled: () => setSession({ accessDisabled: 'user' }),
    onReconfiguration: () => {},
  })
