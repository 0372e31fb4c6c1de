import type { Access } from '@mainstay/contract/core/endpoint'
import { setLive } from '../api/live-state'
import { checkAccess } from './access-check'
import { mayNow } from './may'
import { reloadAfterRestart } from './restarting'
import { isAllTenants, useSession, type Session } from './session'

let stop: (() => void) | undefined
let runningFor: string | null = null

const tokenFor = ({ status, meta, scopedToken, isExpired }: Session) =>
  status === 'signed-in' && meta && !isExpired ? scopedToken : null

async function follow(session: Session) {
  const token = tokenFor(session)
  if (token === runningFor) return
  runningFor = token
  stop?.()
  stop = undefined
  // domain mode has no scoped token and thus no socket: lists poll instead
  if (!token) return setLive({ state: session.status === 'signed-in' && session.meta ? 'offline' : 'off' })
  const [{ startLive }, { liveKinds }, { fetchComputeStat }] = await Promise.all([
    import('../api/live'),
    import('../api/live-kinds'),
    import('./fetch-compute-stat'),
  ])
  if (runningFor !== token) return
  fetchComputeStat()
  stop = startLive({
    token,
    allTenants: isAllTenants(session),
    // older servers do not report a revision
    start: session.meta?.revision ?? null,
    mayRead: (kind) => {
      const resource = liveKinds[kind]
      return resource !== undefined && mayNow({ ability: 'read', resource } satisfies Access)
    },
    onSignedOut: () => {
      runningFor = null
      void checkAccess(token)
    },
    onAboutToStop: reloadAfterRestart,
  })
}

/**
 * Keeps a socket open for the current scope, and loads the compute figures of each scope. The code is in a separate
 * chunk that is loaded after the first list has been shown.
 */
export function followLive() {
  useSession.subscribe((session) => void follow(session))
  void follow(useSession.getState())
}
