import type { AccountProject, CurrentUser, Login } from '@mainstay/contract/identity/session'
import { call } from '../api/call'
import { CallProblem } from '../api/problem'
import { session } from '@mainstay/contract/identity/session'
import { detectTakeover } from './access-check'
import { askedForProject } from './asked-for-project'
import { forgetKept } from './kept'
import { loadMeta } from './meta'
import type { RedirectMemory } from './redirect-memory'
import { sessionNow, setSession } from './session'
import { signOut } from './sign-out'

const withoutTokens = ({ token: _token, scoped_token: _scoped, ...user }: CurrentUser) => user

/** The projects that the user may enter; on the admin panel, all projects. */
const fetchProjects = async () => {
  const isSystem = sessionNow().panel?.panel === 'admin'
  return (await call(isSystem ? session.computeProjects : session.projects, {}, { isUnscoped: true })).data
}

const tokenOf = async (project: AccountProject | { id: string }) =>
  (await call(session.enterProject, { params: { id: project.id } }, { isUnscoped: true })).token

async function chooseProject(user: CurrentUser, preferredId: string | null) {
  const projects = await fetchProjects()
  const enabled = projects.filter((project) => project.enabled)
  const project = enabled.find(({ id }) => id === preferredId) ?? enabled[0]
  if (project) {
    setSession({ projects, project: { id: project.id, name: project.name }, scopedToken: await tokenOf(project) })
    return
  }
  // a domain administrator without a project works in domain mode
  if (user.roles.includes('domain_admin')) return setSession({ projects, project: null, scopedToken: unscopedToken })
  await signOut()
  setSession({ accessDisabled: 'project' })
  throw new CallProblem({ kind: 'forbidden', status: 403, code: 'no_project', message: 'No project is enabled' })
}

/** The token without a project: scoped to the whole system or to a domain. */
let unscopedToken: string | null = null

async function enter(user: CurrentUser, domain: string | null, preferredId: string | null) {
  // removes data belonging to another user whose session ended during this sign-in
  if (sessionNow().user && sessionNow().user?.id !== user.id) forgetKept()
  setSession({ user: withoutTokens(user), domain, accessDisabled: null, meta: null })
  unscopedToken = user.token
  // the admin panel has no current project: the sign-in token covers every tenant
  const isSystem = sessionNow().panel?.panel === 'admin'
  if (user.scoped_token || isSystem) setSession({ scopedToken: user.scoped_token ?? user.token, project: null })
  else await chooseProject(user, preferredId)
  await loadMeta()
}

async function begin(comeIn: () => Promise<void>) {
  setSession({ status: 'signing-in' })
  try {
    await comeIn()
    setSession({ status: 'signed-in', isExpired: false })
  } catch (thrown) {
    if (sessionNow().status === 'signing-in') setSession({ status: 'signed-out', user: null })
    throw thrown
  }
}

/**
 * Signs in the user that `proven` resolves with and enters their first enabled project (S1§4). `domain` is the sign-in
 * domain; null for the default one.
 */
export const enterBy = (proven: () => Promise<CurrentUser>, domain: string | null) =>
  begin(async () => enter(await proven(), domain, askedForProject(location.search)))

export const signIn = (credentials: Login) =>
  enterBy(() => call(session.login, { body: credentials }), credentials.domain ?? null)

/** Continues a session that an identity provider started; so far, only its cookie exists here. */
export const enterHandedOver = (memory: Pick<RedirectMemory, 'domain' | 'projectId'>) =>
  begin(async () => {
    const byCookie = { isUnscoped: true, isUnchecked: true }
    const user = await call(session.whoami, {}, byCookie)
    const { token } = await call(session.anotherToken, {}, byCookie)
    await enter({ ...user, token }, memory.domain, memory.projectId)
  })

/** Signs the same user in again over the page, into the same project. The page and its forms stay unchanged. */
export function signInAgain(password: string) {
  const { user: before, domain } = sessionNow()
  if (!before) throw new Error('No user was signed in')
  const credentials = { username: before.name, password, ...(domain && { domain }) }
  return enterAgainBy(() => call(session.login, { body: credentials }))
}

/** Like `signInAgain`, for the user that `proven` resolves with. */
export async function enterAgainBy(proven: () => Promise<CurrentUser>) {
  const { project } = sessionNow()
  const user = await proven()
  if (detectTakeover(user)) return
  unscopedToken = user.token
  const scopedToken = user.scoped_token ?? (project ? await tokenOf(project) : user.token)
  setSession({ user: withoutTokens(user), scopedToken, isExpired: false, isChangeWaiting: false })
  await loadMeta()
}

export const reloadProjects = async () => setSession({ projects: await fetchProjects() })

/** Clears cached data and enters another project. */
export async function switchProject(project: AccountProject) {
  setSession({ status: 'switching' })
  try {
    const scopedToken = await tokenOf(project)
    await forgetScope()
    setSession({ scopedToken, project: { id: project.id, name: project.name } })
    await loadMeta()
  } finally {
    setSession({ status: 'signed-in' })
  }
}

export async function enterDomainMode() {
  setSession({ status: 'switching' })
  try {
    await forgetScope()
    setSession({ scopedToken: unscopedToken, project: null })
    await loadMeta()
  } finally {
    setSession({ status: 'signed-in' })
  }
}

/** Clears the current scope's data, which must not be visible in the next scope. */
async function forgetScope() {
  const { queryClient } = await import('../api/query-client')
  queryClient.clear()
  setSession({ meta: null })
}
