import type { Endpoint } from '@mainstay/contract/core/endpoint'
import { domains, type Domain } from '@mainstay/contract/identity/domains'
import { explanations } from '@mainstay/contract/identity/explanations'
import { groups, type Group } from '@mainstay/contract/identity/groups'
import { projects, type Project } from '@mainstay/contract/identity/projects'
import { session } from '@mainstay/contract/identity/session'
import { users, type User } from '@mainstay/contract/identity/users'
import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router'
import { renderHook } from '@testing-library/react'
import { createContext, Suspense, use, type ReactNode } from 'react'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { PASSWORD, type PersonaName } from '../../../../server/src/testing/personas'
import { startServer, type TestServer } from '../../../../server/src/testing/start-server'
import { queryClient } from '../../api/query-client'
import { loadTexts, textsNow } from '../../i18n/use-t'
import { I18n } from '../../i18n/I18n'
import { buildRouter } from '../../nav/build-router'
import { useScreenActions } from '../../patterns/resource/use-screen-actions'
import type { RowAction } from '../../patterns/table/row-action'
import { setSession } from '../../session/session'
import { freshSession, keepAccess } from '../../testing/fresh-session'
import domainScreens from './domains/domain-screens'
import { domainResource } from './domains/resource'
import { useGroupActions } from './groups/use-group-actions'
import { useProjectActions } from './projects/use-project-actions'
import { useUserActions } from './users/use-user-actions'

/*
 * Compares three things: which actions the identity menus offer or disable, what the permission check reports, and what
 * the server does.
 */

let server: TestServer
const as = 'superuser'
beforeAll(async () => {
  server = await startServer()
  const make = async (domain_id: string, rights: object, of: string) => {
    const at = { as, params: { domain_id } } as const
    const user = await server.call(users.create, { ...at, body: { name: `${of}_user`, password: PASSWORD, ...rights } })
    const group = await server.call(groups.create, { ...at, body: { name: `${of} group`, ...rights } })
    return { user, group }
  }
  const alpha = server.cast.domains['alpha']!.id
  await make('default', { system_permissions: ['admin'] }, 'head')
  await make(alpha, {}, 'plain')
  // a user whose permissions come only from a group
  const raised = await make('default', {}, 'raised')
  const looking = await server.call(groups.create, {
    as,
    params: { domain_id: 'default' },
    body: { name: 'looking', system_permissions: ['viewer'] },
  })
  await server.call(groups.addMembers, {
    as,
    params: { domain_id: 'default', id: looking.id },
    body: { uuids: [raised.user.id] },
  })
  const { user: outside } = await make(alpha, {}, 'outside')
  await server.sql.query(`update identity_user set identity_provider = 'sso' where id = $1`, [outside.id])
  await server.call(users.update, { as, params: { domain_id: alpha, id: outside.id }, body: { description: 'away' } })
  await server.call(domains.create, { as, body: { name: 'empty' } })
})
afterAll(() => server.close())

const people: readonly (PersonaName | 'head_user')[] = [
  'superuser',
  'head_user',
  'viewer',
  'compute-operator',
  'domain-admin',
]

type Row = User | Group | Project | Domain
interface Calls {
  list: Endpoint
  update: Endpoint
  delete: Endpoint
}
type ActionsOf = () => (item: never) => RowAction[]
const kinds: [resource: string, calls: Calls, useActions: ActionsOf, say: (key: string) => string][] = [
  ['users', users, () => useUserActions().actions, (key) => textsNow('identity')(`users.${key}` as 'users.edit')],
  ['groups', groups, () => useGroupActions().actions, (key) => textsNow('identity')(`groups.${key}` as 'groups.edit')],
  [
    'projects',
    projects,
    () => useProjectActions().actions,
    (key) => textsNow('identity')(`projects.${key}` as 'projects.edit'),
  ],
  [
    'domains',
    domains,
    () => useScreenActions<Domain>({ resource: domainResource, screens: domainScreens }).actions,
    (key) => textsNow('identity')(`domains.${key}` as 'domains.edit'),
  ],
]

/** The content rendered by the root route. */
const Shown = createContext<ReactNode>(null)

/** Renders the action hook for a resource kind as a signed-in user. */
async function menus(who: { token: string }, useActions: ActionsOf) {
  freshSession()
  keepAccess()
  const [me, meta] = await Promise.all([
    server.call(session.whoami, { as: who }),
    server.call(session.meta, { as: who, at: 'admin' }),
  ])
  setSession({ status: 'signed-in', user: me, meta, panel: { panel: 'admin', version: 'test' } })
  await Promise.all((['identity', 'patterns', 'shell', 'permissions'] as const).map(loadTexts))
  const nothing = () => null
  const root = () => <Suspense fallback={null}>{use(Shown)}</Suspense>
  const router = buildRouter(
    { root, frame: nothing, iframe: nothing, notFound: nothing, fault: nothing, pending: nothing },
    [],
    [],
    createMemoryHistory({ initialEntries: ['/none'] }),
  )
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={queryClient}>
      <I18n>
        <Shown value={children}>
          <RouterProvider router={router} />
        </Shown>
      </I18n>
    </QueryClientProvider>
  )
  const shown = renderHook<ReturnType<ActionsOf> | null, unknown>(useActions, { wrapper })
  // wait until the page and its UI strings are loaded
  await vi.waitFor(() => expect(shown.result.current).toBeTypeOf('function'), { timeout: 60_000 })
  return { actionsOf: shown.result.current!, unmount: shown.unmount }
}

const isOffered = (actions: readonly RowAction[], label: string) =>
  actions.some((action) => action.label === label && action.disabledBecause === undefined)

it.each(people)(
  'identity menus offer %s exactly the actions that the permission check and the server allow',
  { tags: 'all', timeout: 120_000 },
  async (name) => {
    const token =
      name === 'head_user'
        ? (await server.call(session.login, { body: { username: name, password: PASSWORD } })).token!
        : await server.signIn(name)
    const who = { token }
    const isOperator = name !== 'domain-admin'
    const domain_id = isOperator ? '-' : server.cast.domains['alpha']!.id
    const disagreeing: string[] = []
    let looked = 0
    for (const [resource, calls, useActions, say] of kinds) {
      const { actionsOf, unmount } = await menus(who, useActions)
      const listed = await server.call(calls.list, {
        as: who,
        ...(calls.list.path.includes(':domain_id') && { params: { domain_id } }),
        query: { limit: 200 },
      })
      for (const row of (listed as { data: Row[] }).data) {
        looked += 1
        const actions = actionsOf(row as never)
        const labelled = { edit: say('edit'), delete: textsNow('patterns')('delete') }
        const explained = (call: string) =>
          server.call(explanations.explain, {
            as: who,
            at: 'admin',
            query: { call: `${resource}.${call}`, object_id: row.id },
          })
        const params = { id: row.id, ...('domain_id' in row && { domain_id: row.domain_id }) }
        const refused = (endpoint: Endpoint, body?: object) =>
          server.call(endpoint, { as: who, params, ...(body && { body }) } as never).then(
            () => false,
            () => true,
          )
        const note = (isWrong: boolean, what: string) => isWrong && disagreeing.push(`${resource} ${row.name}: ${what}`)

        const change = await explained('update')
        const mayEdit = isOffered(actions, labelled.edit)
        note(mayEdit !== change.allowed, `editing is ${mayEdit ? 'offered' : 'barred'}, and explained otherwise`)
        note(
          mayEdit === (await refused(calls.update, {})),
          `editing is ${mayEdit ? 'offered' : 'barred'}, and answered otherwise`,
        )

        const inPart = change.checks.some(
          ({ code, passed, data: { fields } }) =>
            code === 'rule' && passed === null && (fields as string[]).length === 0,
        )
        if ('enabled' in row && row.enabled) {
          const mayDisable = isOffered(actions, say('disable'))
          note(
            mayDisable !== (change.allowed && !inPart),
            `disabling is ${mayDisable ? 'offered' : 'barred'}, and explained otherwise`,
          )
          if (!mayDisable) note(!(await refused(calls.update, { enabled: false })), 'disabling is barred, and done')
        }

        const removal = await explained('delete')
        const mayDelete = isOffered(actions, labelled.delete)
        // deleting a domain along with its users requires an explicit request, which no menu sends
        const isInPart = removal.checks.some(({ code, passed }) => code === 'rule' && passed === null)
        note(
          mayDelete !== (removal.allowed && !isInPart),
          `deleting is ${mayDelete ? 'offered' : 'barred'}, and explained otherwise`,
        )
        if (!mayDelete) note(!(await refused(calls.delete)), 'deleting is barred, and done')
        // each disabled action must open the permission check for the same call and object
        for (const { label, disabledBecause, about } of actions)
          if (disabledBecause !== undefined && about !== undefined)
            note(
              about.thing.id !== row.id || !about.call.startsWith(`${resource}.`),
              `${label} asks about something else`,
            )
      }
      unmount()
    }
    expect(disagreeing).toEqual([])
    expect(looked).toBeGreaterThan(8)
  },
)
