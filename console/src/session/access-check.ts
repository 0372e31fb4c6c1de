import { call } from '../api/call'
import { asProblem } from '../api/problem'
import { session, type CurrentUser } from '@mainstay/contract/identity/session'
import { readKept, type KeptUser } from './kept'
import { sessionNow, setSession, useSession } from './session'
import { signOut } from './sign-out'

type Verdict = 'again' | 'give-up'

let checking: Promise<Verdict> | undefined
/** Whether any call waiting for the check is a mutation. */
let isChangeWaiting = false

/** Resolves when the user has signed in again over the page, or when another user has taken over the session. */
const signedInAgain = () =>
  new Promise<Verdict>((resolve) => {
    const stop = useSession.subscribe(({ isExpired, takenOverBy, user }) => {
      if (isExpired && takenOverBy === null) return
      stop()
      resolve(user && takenOverBy === null ? 'again' : 'give-up')
    })
  })

/** Handles a session that expired on the server. A page that is already shown stays, with the sign-in form over it. */
function expire(): Promise<Verdict> {
  if (!sessionNow().meta) return signOut().then(() => 'give-up')
  setSession({ isExpired: true, expiredAt: Date.now(), isChangeWaiting })
  return signedInAgain()
}

/**
 * Whether the cookie now belongs to a different user who signed in from another tab; their data must not appear on this
 * page.
 */
export function detectTakeover({ id, name }: Pick<CurrentUser, 'id' | 'name'>): boolean {
  const { user } = sessionNow()
  if (!user || user.id === id) return false
  setSession({ takenOverBy: name })
  return true
}

/**
 * Serializes work across the tabs of a browser: when a computer wakes up, all of them resume at once. The Web Locks API
 * is not available on pages served without TLS (except localhost); such pages run without a lock.
 */
const oneTabAtATime = <Result>(work: () => Promise<Result>): Promise<Result> =>
  'locks' in navigator ? navigator.locks.request('mainstay.access', work) : work()

/** Uses the token that another tab obtained for the same user and project. */
function takeFromOtherTab(): boolean {
  const { user, project, scopedToken } = sessionNow()
  const kept = readKept()
  const isSamePlace = kept.user?.id === user?.id && kept.project?.id === project?.id
  if (!isSamePlace || kept.scopedToken === null || kept.scopedToken === scopedToken) return false
  setSession({ scopedToken: kept.scopedToken, isExpired: false })
  return true
}

/** Reacts to a sign-in in another tab: continues the expired session for the same user, or marks it as taken over. */
export async function followOtherTab(kept: KeptUser | null): Promise<void> {
  if (!kept || detectTakeover(kept) || !sessionNow().isExpired) return
  if (takeFromOtherTab()) return
  const { project } = sessionNow()
  const byCookie = { isUnscoped: true, isUnchecked: true }
  try {
    if (detectTakeover(await call(session.whoami, {}, byCookie))) return
    // enters the project of this page, which may differ from that of the other tab
    const entering = project
      ? call(session.enterProject, { params: { id: project.id } }, byCookie)
      : call(session.anotherToken, {}, byCookie)
    const { token } = await entering
    if (sessionNow().isExpired) setSession({ scopedToken: token, isExpired: false })
  } catch {
    // keep showing the sign-in form over the page
  }
}

async function ask(): Promise<Verdict | 'over'> {
  if (takeFromOtherTab()) return 'again'
  try {
    if (detectTakeover(await call(session.whoami, {}, { isUnscoped: true, isUnchecked: true }))) return 'give-up'
  } catch (thrown) {
    const { status, kind } = asProblem(thrown)
    if (status === 401) return 'over'
    if (status === 404) await signOut()
    else if (status === 403) setSession({ accessDisabled: 'user' })
    // a network failure says nothing about access
    else if (kind !== 'network' && kind !== 'cancelled') setSession({ accessDisabled: 'project' })
    return 'give-up'
  }
  return enterAgain()
}

async function check(): Promise<Verdict> {
  const found = await oneTabAtATime(ask)
  // outside the lock, so that other tabs do not wait until the user has signed in here
  return found === 'over' ? expire() : found
}

/** The session is valid but the project's token is not: it may have expired. */
async function enterAgain(): Promise<Verdict> {
  const { project, user } = sessionNow()
  if (user && project) {
    try {
      const { token } = await call(
        session.enterProject,
        { params: { id: project.id } },
        { isUnscoped: true, isUnchecked: true },
      )
      setSession({ scopedToken: token })
      return 'again'
    } catch (thrown) {
      if (asProblem(thrown).kind === 'network') return 'give-up'
    }
  }
  setSession({ accessDisabled: 'project' })
  return 'give-up'
}

/** Decides how to proceed after a 401 (S1§8). Calls that fail at the same time share one check. */
export function checkAccess(usedToken: string | null, isChange = false): Promise<Verdict> {
  const { user, scopedToken, takenOverBy } = sessionNow()
  if (!user || takenOverBy !== null) return Promise.resolve('give-up')
  if (usedToken !== null && usedToken !== scopedToken) return Promise.resolve('again')
  isChangeWaiting ||= isChange
  if (sessionNow().isExpired) setSession({ isChangeWaiting })
  checking ??= check().finally(() => {
    checking = undefined
    isChangeWaiting = false
  })
  return checking
}
