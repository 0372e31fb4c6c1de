import { call } from '../api/call'
import { asProblem } from '../api/problem'
import { session, type CurrentUser } from '@mainstay/contract/identity/session'
import { readKept, type KeptUser } from './kept'
import { sessionNow, setSession, useSession } from './session'
import { signOut } from './sign-out'

type Verdict = 'again' | 'give-up'

let checking: Promise<Verdict> | undefined
/** One of the calls that wait for the check changes something. */
let isChangeWaiting = false

/** Resolves when the person has signed in again over the page, or has left it to somebody. */
const signedInAgain = () =>
  new Promise<Verdict>((resolve) => {
    const stop = useSession.subscribe(({ isExpired, takenOverBy, user }) => {
      if (isExpired && takenOverBy === null) return
      stop()
      resolve(user && takenOverBy === null ? 'again' : 'give-up')
    })
  })

/** The session ended on the server. With a page on the screen, that page stays and sign-in is asked for over it. */
function expire(): Promise<Verdict> {
  if (!sessionNow().meta) return signOut().then(() => 'give-up')
  setSession({ isExpired: true, expiredAt: Date.now(), isChangeWaiting })
  return signedInAgain()
}

/** The cookie is that of somebody else, who has signed in in another tab: nothing of theirs belongs on this page. */
export function detectTakeover({ id, name }: Pick<CurrentUser, 'id' | 'name'>): boolean {
  const { user } = sessionNow()
  if (!user || user.id === id) return false
  setSession({ takenOverBy: name })
  return true
}

/**
 * One tab of a browser at a time: all of them wake at once when a computer does. A page that did not come over TLS, or from
 * this machine, has no locks of browsers and asks for itself.
 */
const oneTabAtATime = <Result>(work: () => Promise<Result>): Promise<Result> =>
  'locks' in navigator ? navigator.locks.request('mainstay.access', work) : work()

/** Takes the token that another tab got for the same person in the same project. */
function takeFromOtherTab(): boolean {
  const { user, project, scopedToken } = sessionNow()
  const kept = readKept()
  const isSamePlace = kept.user?.id === user?.id && kept.project?.id === project?.id
  if (!isSamePlace || kept.scopedToken === null || kept.scopedToken === scopedToken) return false
  setSession({ scopedToken: kept.scopedToken, isExpired: false })
  return true
}

/** What another tab has kept of who is signed in: the same person goes on here too, and nobody else does. */
export async function followOtherTab(kept: KeptUser | null): Promise<void> {
  if (!kept || detectTakeover(kept) || !sessionNow().isExpired) return
  if (takeFromOtherTab()) return
  const { project } = sessionNow()
  const byCookie = { isUnscoped: true, isUnchecked: true }
  try {
    if (detectTakeover(await call(session.whoami, {}, byCookie))) return
    // into the project of this page, which need not be the one of that tab
    const entering = project
      ? call(session.enterProject, { params: { id: project.id } }, byCookie)
      : call(session.anotherToken, {}, byCookie)
    const { token } = await entering
    if (sessionNow().isExpired) setSession({ scopedToken: token, isExpired: false })
  } catch {
    // it is still asked for over the page
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
    // no answer says nothing about access
    else if (kind !== 'network' && kind !== 'cancelled') setSession({ accessDisabled: 'project' })
    return 'give-up'
  }
  return enterAgain()
}

async function check(): Promise<Verdict> {
  const found = await oneTabAtATime(ask)
  // the others need not wait until somebody has signed in here
  return found === 'over' ? expire() : found
}

/** The user is welcome and the project's token is not: it may only be too old. */
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

/** What a 401 means (S1§8). All calls that fail at the same time wait for one check. */
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
