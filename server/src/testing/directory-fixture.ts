import { groups, type Group, type GroupDraft } from '@mainstay/contract/identity/groups'
import { projects } from '@mainstay/contract/identity/projects'
import { session } from '@mainstay/contract/identity/session'
import { users, type User, type UserDraft } from '@mainstay/contract/identity/users'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { PASSWORD } from './personas'
import { startServer, type StartOptions, type TestServer } from './start-server'

/* Domains, projects, users and groups on the embedded engine, as seen by their administrators. */

export const operator = 'superuser'
export const admin = 'domain-admin'

export let server: TestServer
/** A name that is unique in each test. */
export let name = ''

/** Starts one server for a spec file. */
export function withDirectory(options: StartOptions = {}): void {
  let count = 0
  beforeAll(async () => {
    server = await startServer(options)
  })
  afterAll(() => server.close())
  beforeEach(() => {
    count += 1
    name = `made_${count}`
  })
}

/** Error message of a refused call; `no refusal` if it succeeds. */
export const refusal = (call: Promise<unknown>) =>
  call.then(
    () => 'no refusal',
    ({ code, fields, data, message }: { code: string; fields: object; data: object; message: string }) => ({
      ...{ code, data, message },
      fields: Object.keys(fields),
    }),
  )
/** Creates a user in the administrator's domain, or, as an operator, in another one. */
export const makeUser = (draft: Partial<UserDraft> = {}, domain_id?: string): Promise<User> =>
  server.call(users.create, {
    as: domain_id ? operator : admin,
    ...(domain_id && { params: { domain_id } }),
    body: { name, password: PASSWORD, ...draft },
  })
export const makeProject = (of = name) => server.call(projects.create, { as: admin, body: { name: of } })
export const makeGroup = (draft: Partial<GroupDraft> = {}, domain_id?: string): Promise<Group> =>
  server.call(groups.create, {
    as: domain_id ? operator : admin,
    ...(domain_id && { params: { domain_id } }),
    body: { name, ...draft },
  })
export const viewGroup = (id: string) => server.call(groups.view, { as: admin, params: { id } })
/** Add users to a group in the administrator's domain, and remove them. */
export const join = (id: string, ...users: { id: string }[]) =>
  server.call(groups.addMembers, { as: admin, params: { id }, body: { uuids: users.map((it) => it.id) } })
export const leave = (id: string, ...users: { id: string }[]) =>
  server.call(groups.removeMembers, { as: admin, params: { id }, body: { uuids: users.map((it) => it.id) } })
export const viewProject = (id: string) => server.call(projects.view, { as: admin, params: { id } })
export const viewUser = (id: string) => server.call(users.view, { as: admin, params: { id } })
export const signIn = async (username: string, password = PASSWORD, domain = 'alpha') =>
  (await server.call(session.login, { body: { username, password, domain } })).token!
export const whoami = (token: string) => server.call(session.whoami, { as: { token } })
