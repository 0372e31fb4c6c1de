import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { PASSWORD } from '../../../server/src/testing/personas'
import { startServer, type TestServer } from '../../../server/src/testing/start-server'
import { queryClient } from '../api/query-client'
import { browseTo } from '../testing/browser'
import { freshSession, keepAccess } from '../testing/fresh-session'
import { mayNow } from './may'
import { turnFeature } from '../features/features'
import { isAllTenants, isDomainMode, mayEnterDomainMode, sessionNow, setSession, useSession } from './session'
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

it('enters the first enabled project after sign-in and loads its permissions [ST-003] [PE-013]', async () => {
  const entered = async () => {
    await signIn(as('domain-admin'))
    const { status, project, meta } = sessionNow()
    expect(meta?.scope).toMatchObject({ kind: 'project', project_name: project!.name })
    return [status, project!.name]
  }
  expect(await entered()).toEqual(['signed-in', 'alpha-one'])
  expect(mayNow(keys)).toBe(true)
  expect(mayNow({ ability: 'create', resource: 'compute_flavors' })).toBe(false)
  await server.tools.identity.setEnabled('project', server.cast.projects['alpha-one']!.id, false)
  expect(await entered()).toEqual(['signed-in', 'alpha-two'])
  await server.tools.identity.setEnabled('project', server.cast.projects['alpha-one']!.id, true)
})

it('stores user, scoped token, domain, project and features, but never the unscoped token [EN-022]', async () => {
  await signIn(as('project-member'))
  turnFeature({ id: 'tasks-notifications', enabled: true }, false)
  const kept = ['user', 'scopedToken', 'domain', 'currentProject', 'features'].map((key) => localStorage.getItem(key))
  expect(kept.every((text) => text !== null && text !== '')).toBe(true)
  expect(JSON.parse(kept[0]!)).not.toHaveProperty('token')
})

it('allows only reading before the permissions are loaded [PE-016]', () => {
  expect(sessionNow().meta).toBeNull()
  expect(mayNow({ ability: 'read', resource: 'compute_servers' })).toBe(true)
  expect(mayNow(keys)).toBe(false)
})

it('goes through the states signed out, signing in, signed in and switching [ST-001]', async () => {
  const states: string[] = [sessionNow().status]
  const stop = useSession.subscribe(({ status }) => states.at(-1) !== status && states.push(status))
  await signIn(as('domain-admin'))
  await enterDomainMode()
  await signOut()
  stop()
  expect(states).toEqual(['signed-out', 'signing-in', 'signed-in', 'switching', 'signed-in', 'signed-out'])
})

it('rejects a user without an enabled project, unless they are a domain administrator [ST-004]', async () => {
  const home = server.cast.domains['alpha']!
  const project = await server.tools.identity.createProject({ name: 'closed', domain_id: home.id })
  const person = (name: string, roles: [] | ['domain_admin']) =>
    server.tools.identity.createUser({
      name,
      domain_id: home.id,
      password: PASSWORD,
      roles,
      assigned_projects: [{ project_id: project.id, role: 'project_member' }],
    })
  await person('shut_out', [])
  await server.tools.identity.setEnabled('project', project.id, false)
  await expect(signIn({ username: 'shut_out', password: PASSWORD, domain: 'alpha' })).rejects.toMatchObject({
    code: 'no_project',
  })
  expect(sessionNow()).toMatchObject({ status: 'signed-out', user: null, accessDisabled: 'project' })
  for (const one of ['alpha-one', 'alpha-two'])
    await server.tools.identity.setEnabled('project', server.cast.projects[one]!.id, false)
  await signIn(as('domain-admin'))
  expect(sessionNow()).toMatchObject({ status: 'signed-in', project: null, accessDisabled: null })
  for (const one of ['alpha-one', 'alpha-two'])
    await server.tools.identity.setEnabled('project', server.cast.projects[one]!.id, true)
})

it('stays signed out after wrong credentials', async () => {
  await expect(signIn({ ...as('project-member'), password: 'wrong' })).rejects.toMatchObject({
    code: 'wrong_credentials',
  })
  expect(sessionNow()).toMatchObject({ status: 'signed-out', user: null })
})

it('clears permissions and caches on sign-out, but keeps the domain [ST-032] [ST-033]', async () => {
  await signIn(as('project-member'))
  queryClient.setQueryData(['list', 'key'], 'a secret')
  await signOut()
  expect(sessionNow()).toMatchObject({ status: 'signed-out', meta: null, scopedToken: null, project: null })
  expect(queryClient.getQueryCache().getAll()).toHaveLength(0)
  expect(localStorage.getItem('scopedToken')).toBeNull()
  expect(localStorage.getItem('domain')).toBe('alpha')
})

it('clears the cache when switching to another project', async () => {
  await signIn(as('domain-admin'))
  const other = sessionNow().projects.find(({ id, enabled }) => enabled && id !== sessionNow().project?.id)!
  const before = sessionNow().scopedToken
  queryClient.setQueryData(['list', 'key'], 'of the first project')
  await switchProject(other)
  expect(sessionNow()).toMatchObject({ status: 'signed-in', project: { id: other.id } })
  expect(sessionNow().scopedToken).not.toBe(before)
  expect(queryClient.getQueryCache().getAll()).toHaveLength(0)
})

it('lets only domain administrators enter domain mode [PE-018]', async () => {
  await signIn(as('project-member'))
  expect(mayEnterDomainMode(sessionNow())).toBe(false)
  await signIn(as('domain-admin'))
  expect(mayEnterDomainMode(sessionNow())).toBe(true)
  await enterDomainMode()
  expect(isDomainMode(sessionNow())).toBe(true)
  expect(sessionNow().meta?.scope.kind).toBe('domain')
})

it('enters a scope that covers every tenant on the admin panel', async () => {
  setSession({ panel: { panel: 'admin', version: 'test' } })
  await signIn(as('superuser'))
  expect(isAllTenants(sessionNow())).toBe(true)
  expect(sessionNow().project).toBeNull()
})

it('signs in again over the page and enters the same project', async () => {
  await signIn(as('project-member'))
  const { project } = sessionNow()
  setSession({ isExpired: true, scopedToken: 'over' })
  await signInAgain(PASSWORD)
  expect(sessionNow()).toMatchObject({ isExpired: false, project })
  expect(sessionNow().scopedToken).not.toBe('over')
})
