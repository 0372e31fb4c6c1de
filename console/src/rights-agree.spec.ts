import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { paramNames, type Access, type Endpoint, type Needs } from '@mainstay/contract/core/endpoint'
import { session } from '@mainstay/contract/identity/session'
import { domainPermissions, projectRoles, shownSystemPermissions } from '@mainstay/contract/identity/user-roles'
import { users, type UserDraft } from '@mainstay/contract/identity/users'
import { PASSWORD } from '../../server/src/testing/personas'
import { authenticatedCalls, isRefused } from '../../server/src/testing/refused-calls'
import { startServer, type TestServer } from '../../server/src/testing/start-server'
import { guard } from './nav/guard'
import { adminRoutes as routes } from './admin-routes'
import { addPages, menuEntries, setKnownPages, type MenuEntry } from './nav/known-pages'
import { menuFor } from './nav/menu'
import { allows } from './session/may'
import { isAllTenants, isDomainMode, sessionNow, setSession } from './session/session'
import { freshSession } from './testing/fresh-session'

/*
 * For each role on its own, both without a project and in one, the pages, menu entries, create actions and permission
 * checks of buttons must match the calls that the server allows. The server must refuse everything that the console
 * hides.
 */

const here = import.meta.dirname

let server: TestServer
beforeAll(async () => {
  server = await startServer()
  setKnownPages(routes)
})
afterAll(() => server.close())

const isRight = (needs: Access): needs is Needs => typeof needs === 'object'
const keyOf = ({ resource, ability }: Needs) => `${ability} ${resource}`

/**
 * One call for each permission, preferably a read or a call that is rejected without parameters or a body, so that it
 * changes nothing.
 */
const callFor = new Map<string, Endpoint>()
const isQuiet = ({ verb, body, path }: Endpoint) => verb === 'GET' || !!body || paramNames(path).length > 0
for (const quiet of [true, false])
  for (const { endpoint } of authenticatedCalls)
    if (isRight(endpoint.needs) && isQuiet(endpoint) === quiet && !callFor.has(keyOf(endpoint.needs)))
      callFor.set(keyOf(endpoint.needs), endpoint)

/** Text of all of the console's source files, by path. */
const sources = Object.fromEntries(
  readdirSync(here, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !/\.spec\.tsx?$/.test(file) && !file.startsWith('testing'))
    .map((file) => [file, readFileSync(path.join(here, file), 'utf8')]),
)

it('every page, menu entry and button requires a permission that at least one call requires', () => {
  const asked = routes.flatMap(({ path, needs, menu }) =>
    [needs, ...(menu && 'in' in menu && menu.needs ? [menu.needs] : [])]
      .filter(isRight)
      .map((one) => [path, keyOf(one)] as const),
  )
  const namingRights = Object.entries(sources).filter(([, text]) => text.includes("'@mainstay/contract/core/endpoint'"))
  for (const [file, text] of namingRights)
    for (const [, ability, resource] of text.matchAll(/\b(read|create|update|remove)\('(\w+)'\)/g))
      asked.push([file, `${ability === 'remove' ? 'delete' : ability} ${resource}`])
  expect(asked.length).toBeGreaterThan(routes.length / 2)
  expect(asked.filter(([, right]) => !callFor.has(right))).toEqual([])
  // every permission that a button checks comes from the contract, not from the console
  const odd = Object.entries(sources).flatMap(([file, text]) =>
    [...text.matchAll(/\bmay\(((?:[^()]|\([^()]*\))*)\)/g)]
      .map(([, argument = '']) => argument.trim())
      .filter((it) => !/(\.needs|^needs)$|^(read|create|update|remove)\('\w+'\)$/.test(it))
      .map((it) => `${file}: may(${it})`),
  )
  expect(odd).toEqual([])
})

type Rights = Pick<UserDraft, 'system_permissions' | 'domain_permissions' | 'assigned_projects'>
interface Case {
  name: string
  rights: (projectId: string) => Partial<Rights>
  domain: 'default' | 'alpha'
}
const cases: Case[] = [
  ...shownSystemPermissions.map((role): Case => ({
    ...{ name: role, domain: 'default', rights: () => ({ system_permissions: [role] }) },
  })),
  ...domainPermissions.map((role): Case => ({
    name: role,
    domain: 'alpha',
    // flags apply in the projects that the user is assigned to
    rights: (project_id) => ({
      domain_permissions: [role],
      ...(role !== 'domain_admin' && { assigned_projects: [{ project_id, role: 'project_member' as const }] }),
    }),
  })),
  ...projectRoles.map((role): Case => ({
    ...{ name: role, domain: 'alpha', rights: (project_id) => ({ assigned_projects: [{ project_id, role }] }) },
  })),
]

/**
 * Tokens for a user with only these permissions: one without a project, and one for a project if the user may enter it.
 */
async function tokensOf({ name: role, rights, domain }: Case): Promise<{ token: string; project: string | null }[]> {
  const { id: projectId } = server.cast.projects['alpha-one']!
  const name = `only_${role}`
  const domain_id = domain === 'default' ? 'default' : server.cast.domains[domain]!.id
  const body = { name, password: PASSWORD, ...rights(projectId) }
  await server.call(users.create, { as: 'superuser', params: { domain_id }, body })
  const login = { username: name, password: PASSWORD, domain: domain === 'default' ? 'Default' : domain }
  const token = (await server.call(session.login, { body: login })).token!
  const inside = await server.call(session.enterProject, { as: { token }, params: { id: projectId } }).catch(() => null)
  return [{ token, project: null }, ...(inside ? [{ token: inside.token, project: projectId }] : [])]
}

const passes = (needs: Access): Promise<boolean> =>
  guard(needs, { pathname: '/', searchStr: '', hash: '' }).then(
    () => true,
    () => false,
  )

it.each(cases)(
  'menu, buttons, guard and server agree on what role $name may do, without a project and in one',
  { timeout: 120_000 },
  async (one) => {
    const disagreeing: string[] = []
    for (const { token, project } of await tokensOf(one)) {
      const as = { token }
      // one of the calls disables the service for everyone
      await server.tools.ports['object-storage'].setAvailable(true)
      const where = project ? ' in a project' : ''
      const [me, meta] = await Promise.all([
        server.call(session.whoami, { as }),
        server.call(session.meta, { as, at: 'admin' }),
      ])
      freshSession()
      setSession({
        ...{ status: 'signed-in', user: me, meta, panel: { panel: 'admin', version: 'test' } },
        ...(project && { project: { ...server.cast.projects['alpha-one']!, domain_name: 'alpha' } }),
      } as never)

      const answered = new Map<string, boolean>()
      const ask = async ([right, endpoint]: [string, Endpoint]): Promise<void> => {
        const isAllowed = !(await isRefused(server, as, endpoint))
        answered.set(right, isAllowed)
        if (allows(meta, endpoint.needs) !== isAllowed)
          disagreeing.push(`${right}${where} is ${isAllowed ? 'hidden, and allowed' : 'shown, and refused'}`)
      }
      // calls that change nothing are made eight at a time, before the others
      const quiet = [...callFor].filter(([, endpoint]) => isQuiet(endpoint))
      for (let at = 0; at < quiet.length; at += 8) await Promise.all(quiet.slice(at, at + 8).map(ask))
      for (const one of callFor) if (!isQuiet(one[1])) await ask(one)
      const isAnswered = (needs: Access) => !isRight(needs) || answered.get(keyOf(needs)) === true

      for (const { path, needs } of routes)
        if ((await passes(needs)) !== isAnswered(needs)) disagreeing.push(`the page ${path}${where}`)

      const shown = menuFor(sessionNow()).flatMap(({ entries }) => entries)
      for (const { to, needs } of shown) {
        if (!isAnswered(needs)) disagreeing.push(`${to} is in the menu${where}, and refused`)
        const page = routes.find(({ path }) => `/${path}` === to)!
        if (!(await passes(page.needs))) disagreeing.push(`${to} is in the menu${where}, and its page does not open`)
      }
      // every permitted page is also in the menu, provided that its group is shown
      const isOfDomain = isDomainMode(sessionNow())
      const hasPeople = isAllTenants(sessionNow())
      const isForThem = ({ in: spot, inDomain }: MenuEntry) =>
        isOfDomain ? inDomain !== undefined : hasPeople || !spot.startsWith('people.')
      for (const { to, needs } of menuEntries().filter(isForThem))
        if (isAnswered(needs) && !shown.some((entry) => entry.to === to))
          disagreeing.push(`${to} is allowed${where}, and not in the menu`)
      for (const { to, needs } of addPages())
        if ((await passes(needs)) !== isAnswered(needs)) disagreeing.push(`${to}${where}`)
    }
    expect(disagreeing).toEqual([])
  },
)
