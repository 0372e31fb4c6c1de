import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { PASSWORD } from '../../../server/src/testing/personas'
import { startServer, type TestServer } from '../../../server/src/testing/start-server'
import { queryClient } from '../api/query-client'
import { browseTo } from '../testing/browser'
import { freshSession, keepAccess } from '../testing/fresh-session'
import { mayNow } from './may'
import { isAllTenants, isDomainMode, sessionNow, setSession } from './session'
import { enterDomainMode, signIn, signInAgain, switchProject } from './sign-in'
import { signOut } from './sign-out'

let server: TestServer
let stopBrowsing: () => void
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
beforeEach(() => {
  localStorage.clear()
  freshSession()
  keepAccess()
  stopBrowsing = browseTo(server.url)
})
afterEach(() => stopBrowsing())

const as = (who: keyof TestServer['cast']['people']) => {
  const { user, domain } = server.cast.people[who]
  return { username: user.name, password: PASSWORD, domain: domain.name }
}
const keys = { ability: 'create', resource: 'compute_keys' } as const

it('enters the first enabled project after sign-in, with its permissions [ST-003] [PE-013]', async () => {
  await signIn(as('project-member'))
  const { status, project, projects, meta } = sessionNow()
  expect(status).toBe('signed-in')
  expect(project?.id).toBe(projects.find(({ enabled }) => enabled)?.id)
  expect(meta?.scope).toMatchObject({ kind: 'project', project_id: project?.id })
  expect(mayNow(keys)).toBe(true)
})

it('keeps user, scoped token, domain and project for a reload, and never the unscoped token [EN-022]', async () => {
  await signIn(as('project-member'))
  const kept = ['user', 'scopedToken', 'domain', 'currentProject'].map((key) => localStorage.getItem(key))
  expect(kept.every((text) => text !== null && text !== '')).toBe(true)
  expect(JSON.parse(kept[0]!)).not.toHaveProperty('token')
})

it('allows reading everything and nothing else before permissions are here [PE-016]', () => {
  expect(sessionNow().meta).toBeNull()
  expect(mayNow({ ability: 'read', resource: 'compute_servers' })).toBe(true)
  expect(mayNow(keys)).toBe(false)
})

it('stays signed out after wrong credentials', async () => {
  await expect(signIn({ ...as('project-member'), password: 'wrong' })).rejects.toMatchObject({
    code: 'wrong_credentials',
  })
  expect(sessionNow()).toMatchObject({ status: 'signed-out', user: null })
})

it('forgets abilities and caches on sign-out, and where one was signed in to stays known [ST-032] [ST-033]', async () => {
  await signIn(as('project-member'))
  queryClient.setQueryData(['list', 'key'], 'a secret')
  await signOut()
  expect(sessionNow()).toMatchObject({ status: 'signed-out', meta: null, scopedToken: null, project: null })
  expect(queryClient.getQueryCache().getAll()).toHaveLength(0)
  expect(localStorage.getItem('scopedToken')).toBeNull()
  expect(localStorage.getItem('domain')).toBe('alpha')
})

it('switches to another project, whose rows are asked for anew', async () => {
  await signIn(as('domain-admin'))
  const other = sessionNow().projects.find(({ id, enabled }) => enabled && id !== sessionNow().project?.id)!
  const before = sessionNow().scopedToken
  queryClient.setQueryData(['list', 'key'], 'of the first project')
  await switchProject(other)
  expect(sessionNow()).toMatchObject({ status: 'signed-in', project: { id: other.id } })
  expect(sessionNow().scopedToken).not.toBe(before)
  expect(queryClient.getQueryCache().getAll()).toHaveLength(0)
})

it('lets a domain administrator work on the domain', async () => {
  await signIn(as('domain-admin'))
  await enterDomainMode()
  expect(isDomainMode(sessionNow())).toBe(true)
  expect(sessionNow().meta?.scope.kind).toBe('domain')
})

it('sees every tenant on the admin panel', async () => {
  setSession({ panel: { panel: 'admin', version: 'test' } })
  await signIn(as('superuser'))
  expect(isAllTenants(sessionNow())).toBe(true)
  expect(sessionNow().project).toBeNull()
})

it('signs in again into the same project, over the page', async () => {
  await signIn(as('project-member'))
  const { project } = sessionNow()
  setSession({ isExpired: true, scopedToken: 'over' })
  await signInAgain(PASSWORD)
  expect(sessionNow()).toMatchObject({ isExpired: false, project })
  expect(sessionNow().scopedToken).not.toBe('over')
})
