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

/* Two administrators, who do not know of one another, change who works where at the same time. */

withDirectory()

type Role = 'project_admin' | 'project_member' | 'none'
const assign = (id: string, ...assigned_projects: { project_id: string; role: Role }[]) =>
  server.call(users.update, { as: admin, params: { id }, body: { assigned_projects } })
const membersOf = async (project_id: string) =>
  (await server.call(users.list, { as: admin, query: { project_id: `in:${project_id}`, limit: 100 } })).data
/** What a project says of itself is what its list of members says. */
async function expectCounted(...ids: string[]) {
  for (const id of ids) expect((await viewProject(id)).members_count).toBe((await membersOf(id)).length)
}

it('both assign one user to another project each, and both assignments stay', async () => {
  const [user, ...made] = await Promise.all([
    makeUser(),
    ...['a', 'b', 'c', 'd', 'e', 'f'].map((at) => makeProject(`${name} ${at}`)),
  ])
  await Promise.all(made.map(({ id }) => assign(user.id, { project_id: id, role: 'project_member' })))
  const { assigned_projects } = await viewUser(user.id)
  expect(new Set(assigned_projects.map(({ project_id }) => project_id))).toEqual(new Set(made.map(({ id }) => id)))
  await expectCounted(...made.map(({ id }) => id))
})

it('both give one user a role in one project, and the user has one of the two', async () => {
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

it('one assigns while the other takes away, and the lists of users and of members agree', async () => {
  const [user, { id: project_id }] = [await makeUser(), await makeProject()]
  for (let round = 0; round < 4; round += 1) {
    await Promise.all((['project_member', 'none'] as const).map((role) => assign(user.id, { project_id, role })))
    const { assigned_projects } = await viewUser(user.id)
    expect((await membersOf(project_id)).map(({ id }) => id)).toEqual(assigned_projects.length === 1 ? [user.id] : [])
    await expectCounted(project_id)
  }
})

it('one assigns to a project that the other deletes: nobody is left in what is not there', async () => {
  const user = await makeUser()
  for (let round = 0; round < 4; round += 1) {
    const { id } = await makeProject(`${name} ${round}`)
    const [assigned] = await Promise.all([
      refusal(assign(user.id, { project_id: id, role: 'project_member' })),
      server.call(projects.delete, { as: admin, params: { id } }),
    ])
    // it was there, or it was not: named by its field
    expect(['no refusal', 'validation', 'not_found']).toContain(typeof assigned === 'string' ? assigned : assigned.code)
    expect((await viewUser(user.id)).assigned_projects).toEqual([])
  }
})

it('one puts a user into a group whom the other deletes: the group counts who is there', async () => {
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

it('two administrators who delete one another, and whoever else there is, leave the built-in one', async () => {
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
  // nobody takes the last administrator away, not even with another one at the same time
  const kept = await Promise.all([one, other].map(({ as }) => removal(as, builtIn)))
  for (const said of kept) expect(said).toMatchObject({ code: 'builtin_admin_protected' })
  const done = await Promise.all([removal(one.as, other.id), removal(other.as, one.id)])
  expect(done).toContain('no refusal')
  expect((await server.call(session.whoami, { as: operator })).name).toBe('admin')
  await server.call(users.update, { as: operator, params: { ...params, id: builtIn }, body: { description: 'kept' } })
})
