import { call } from '../api/call'
import { asProblem } from '../api/problem'
import { session } from '@mainstay/contract/identity/session'
import { sessionNow, setSession, useSession } from './session'
import { signOut } from './sign-out'

type Verdict = 'again' | 'give-up'

let checking: Promise<Verdict> | undefined

/** Resolves when somebody has signed in again over the page, or has left it. */
const signedInAgain = () =>
  new Promise<Verdict>((resolve) => {
    const stop = useSession.subscribe(({ isExpired, user }) => {
      if (isExpired) return
      stop()
      resolve(user ? 'again' : 'give-up')
    })
  })

/** The session ended on the server. With a page on the screen, that page stays and sign-in is asked for over it. */
export function expire(): Promise<Verdict> {
  if (!sessionNow().meta) return signOut().then(() => 'give-up')
  setSession({ isExpired: true })
  return signedInAgain()
}

async function check(): Promise<Verdict> {
  try {
    await call(session.whoami, {}, { isUnscoped: true, isUnchecked: true })
  } catch (thrown) {
    const { status, kind } = asProblem(thrown)
    if (status === 401) return expire()
    if (status === 404) await signOut()
    else if (status === 403) setSession({ accessDisabled: 'user' })
    // no answer says nothing about access
    else if (kind !== 'network' && kind !== 'cancelled') setSession({ accessDisabled: 'project' })
    return 'give-up'
  }
  return enterAgain()
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
export function checkAccess(usedToken: string | null): Promise<Verdict> {
  const { user, scopedToken } = sessionNow()
  if (!user) return Promise.resolve('give-up')
  if (usedToken !== null && usedToken !== scopedToken) return Promise.resolve('again')
  checking ??= check().finally(() => {
    checking = undefined
  })
  return checking
}
