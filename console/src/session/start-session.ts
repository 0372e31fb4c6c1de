import { setAccessKeeper } from '../api/access'
import { call } from '../api/call'
import { session } from '@mainstay/contract/identity/session'
import { rootPath } from '../lib/root-path'
import { checkAccess, followOtherTab, detectTakeover } from './access-check'
import { askedForProject } from './asked-for-project'
import { followParent, tellParent } from './embedding'
import { readKept } from './kept'
import { sessionNow, setSession, useSession } from './session'
import { reloadProjects, switchProject } from './sign-in'

function followOtherTabs({ key, newValue }: StorageEvent) {
  const { user } = sessionNow()
  if (!user) return
  if (key === 'user' && newValue === null)
    return setSession({
      status: 'signed-out',
      user: null,
      scopedToken: null,
      project: null,
      meta: null,
      isExpired: false,
    })
  // the other tab writes the user before the token
  if (key === 'scopedToken' && newValue !== null) void followOtherTab(readKept().user)
  const kept = key === 'user' && readKept().user
  if (kept) detectTakeover(kept)
}

/** Enters the project that the URL requests, if the user is in another one. */
async function enterAskedProject() {
  const { user, project, panel } = sessionNow()
  const wanted = askedForProject(location.search)
  if (wanted === null || !user || project?.id === wanted || panel?.panel === 'admin') return
  await reloadProjects()
  const found = sessionNow().projects.find(({ id, enabled }) => id === wanted && enabled)
  if (found) await switchProject(found)
}

/** Runs once before the first page: registers the session with the API client and determines which panel this is. */
export async function startSession() {
  setAccessKeeper({
    scopedToken: () => sessionNow().scopedToken,
    onUnauthorized: checkAccess,
    onAccessDisabled: (subject) => setSession({ accessDisabled: subject === 'project' ? 'project' : 'user' }),
    onReconfiguration: () => {
      const page = `${rootPath}service-unavailable`
      if (location.pathname !== page) location.assign(page)
    },
  })
  addEventListener('storage', followOtherTabs)
  useSession.subscribe(({ status }, before) => {
    if (status === before.status) return
    if (status === 'signed-in' && before.status === 'signing-in') tellParent({ type: 'authSuccess' })
    if (status === 'signed-out') tellParent({ type: 'logout' })
  })
  try {
    setSession({ panel: await call(session.panel, {}) })
  } catch {
    // falls back to the self-service sign-in page, which reports failures on submit
    setSession({ panel: { panel: 'self-service', version: '' } })
  }
  // from here on, the trusted embedding origins are known
  followParent()
  // a project that cannot be entered is ignored: the page reports what is missing
  await enterAskedProject().catch(() => {})
}
