import { projects } from '@mainstay/contract/identity/projects'
import { session } from '@mainstay/contract/identity/session'
import { users } from '@mainstay/contract/identity/users'
import { expect, it } from 'vitest'
import {
  admin,
  join,
  makeGroup,
  makeProject,
  makeUser,
  name,
  operator,
  refusal,
  server,
  viewGroup,
  viewProject,
  viewUser,
  withDirectory,
} from '../../testing/directory-fixture'
import { PASSWORD } from '../../testing/personas'

/* Assignments that are changed concurrently. */

withDirectory()

type Role = 'project_admin' | 'project_member' | 'none'
const assign = (id: string, ...assigned_projects: { project_id: string; role: Role }[]) =>
  server.call(users.update, { as: admin, params: { id }, body: { assigned_projects } })
const membersOf = async (project_id: string) =>
  (await server.call(users.list, { as: admin, query: { project_id: `in:${project_id}`, limit: 100 } })).data
/** Checks that the member count of each project matches its list of members. */
async function expectCounted(...ids: string[]) {
  for (const id of ids) expect((await viewProject(id)).members_count).toBe((await membersOf(id)).length)
}

it('keeps all assignments when a user is assigned to several projects at once', { tags: 'all' }, async () => {
  const [user, ...made] = await Promise.all([
    makeUser(),
    ...['a', 'b', 'c', 'd', 'e', 'f'].map((at) => makeProject(`${name} ${at}`)),
  ])
  await Promise.all(made.map(({ id }) => assign(user.id, { project_id: id, role: 'project_member' })))
  const { assigned_projects } = await viewUser(user.id)
  expect(new Set(assigned_projects.map(({ project_id }) => project_id))).toEqual(new Set(made.map(({ id }) => id)))
  await expectCounted(...made.map(({ id }) => id))
})

it('leaves a user with only one role when two are assigned at once', async () => {
  const [user, { id: project_id }] = [await makeUser(), await makeProject()]
  for (let round = 0; round < 4; round += 1) {
    await Promise.all(
      (['project_admin', 'project_member'] as const).map((role) => assign(user.id, { project_id, role })),
    )
    expect((await viewUser(user.id)).assigned_projects).toEqual([
      { project_id, role: expect.stringMatching(/^project_(admin|member)$/) as string },
    ])
  }
  await expectCounted(project_id)
})

it('keeps users and member lists consistent when a user is assigned and removed at once', async () => {
  const [user, { id: project_id }] = [await makeUser(), await makeProject()]
  for (let round = 0; round < 4; round += 1) {
    await Promise.all((['project_member', 'none'] as const).map((role) => assign(user.id, { project_id, role })))
    const { assigned_projects } = await viewUser(user.id)
    expect((await membersOf(project_id)).map(({ id }) => id)).toEqual(assigned_projects.length === 1 ? [user.id] : [])
    await expectCounted(project_id)
  }
})

it('leaves no assignment to a project that is deleted at the same time', async () => {
  const user = await makeUser()
  for (let round = 0; round < 4; round += 1) {
    const { id } = await makeProject(`${name} ${round}`)
    const [assigned] = await Promise.all([
      refusal(assign(user.id, { project_id: id, role: 'project_member' })),
      server.call(projects.delete, { as: admin, params: { id } }),
    ])
    // either the assignment succeeded before the deletion, or it was refused
    expect(['no refusal', 'validation', 'not_found']).toContain(typeof assigned === 'string' ? assigned : assigned.code)
    expect((await viewUser(user.id)).assigned_projects).toEqual([])
  }
})

it('does not count a member that is deleted while being added to a group', async () => {
  const group = await makeGroup()
  for (let round = 0; round < 4; round += 1) {
    const user = await makeUser({ name: `${name}_${round}` })
    await Promise.all([
      refusal(join(group.id, user)),
      server.call(users.delete, { as: admin, params: { id: user.id } }),
    ])
    expect((await viewGroup(group.id)).members_count).toBe(0)
  }
})

it('keeps the built-in administrator when administrators delete each other at once', async () => {
  const params = { domain_id: 'default' }
  const make = async (of: string) => {
    const body = { name: of, password: PASSWORD, system_permissions: ['admin' as const] }
    const user = await server.call(users.create, { as: operator, params, body })
    const { token } = await server.call(session.login, { body: { username: of, password: PASSWORD } })
    return { id: user.id, as: { token: token! } }
  }
  const [one, other] = await Promise.all([make(`${name}_one`), make(`${name}_other`)])
  const removal = (as: typeof one.as, id: string) =>
    refusal(server.call(users.delete, { as, params: { ...params, id } }))
  const builtIn = server.cast.people[operator].user.id
  // the built-in administrator cannot be deleted, not even by two concurrent calls
  const kept = await Promise.all([one, other].map(({ as }) => removal(as, builtIn)))
  for (const said of kept) expect(said).toMatchObject({ code: 'builtin_admin_protected' })
  const done = await Promise.all([removal(one.as, other.id), removal(other.as, one.id)])
  expect(done).toContain('no refusal')
  expect((await server.call(session.whoami, { as: operator })).name).toBe('admin')
  await server.call(users.update, { as: operator, params: { ...params, id: builtIn }, body: { description: 'kept' } })
})
