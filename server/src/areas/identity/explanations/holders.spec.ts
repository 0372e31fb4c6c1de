import { explanations, HOLDERS_ON_PAGE } from '@mainstay/contract/identity/explanations'
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
  withDirectory,
} from '../../../testing/directory-fixture'
import { createSamples } from '../../../testing/create-samples'
import type { PersonaName } from '../../../testing/personas'

withDirectory()

type Query = { call: string; project_id?: string; object_id?: string; marker?: string }
const page = (as: PersonaName, query: Query) => server.call(explanations.holders, { as, query })
/** All holders of a permission, across all pages. */
async function all(as: PersonaName, query: Query) {
  const pages = [await page(as, query)]
  for (let next = pages[0]!.next; next !== null; next = pages.at(-1)!.next)
    pages.push(await page(as, { ...query, marker: next }))
  return pages.flatMap(({ data }) => data)
}
const namesOf = (people: readonly { name: string }[]) => people.map((it) => it.name).toSorted()
const projectNamed = (named: string) => server.cast.projects[named]!.id
const everybody = async (as: PersonaName) => {
  const params = as === operator ? { domain_id: '-' } : undefined
  return (await server.call(users.list, { as, ...(params && { params }), query: { limit: 200 } })).data
}

it('lists exactly the users for whom the call is allowed, for every role and scope', { tags: 'all' }, async () => {
  const project = await makeProject()
  const inProject = [{ project_id: project.id, role: 'project_member' as const }]
  await makeUser({ name: `${name}_gone`, enabled: false, assigned_projects: inProject })
  await makeUser({ name: `${name}_both`, domain_permissions: ['domain_admin'], assigned_projects: inProject })
  await makeUser({ name: `${name}_flags`, domain_permissions: ['quota_manager', 'image_upload'] })
  const group = await makeGroup({ assigned_projects: inProject })
  await join(group.id, await makeUser({ name: `${name}_grouped` }))
  const disagreeing: string[] = []
  for (const as of [operator, admin] as const) {
    const known = await everybody(as)
    const places = [undefined, project.id, ...(as === operator ? [projectNamed('beta-one')] : [])]
    for (const call of [
      'volumes.create',
      'images.create',
      'quotas.set',
      'users.create',
      'domains.create',
      'tasks.list',
    ])
      for (const project_id of places) {
        const query = { call, ...(project_id !== undefined && { project_id }) }
        const held = new Set((await all(as, query)).map(({ id }) => id))
        for (const user of known) {
          const { allowed } = await server.call(explanations.explain, { as, query: { ...query, user_id: user.id } })
          if (allowed !== held.has(user.id)) disagreeing.push(`${as}: ${user.name} ${call} ${project_id ?? 'nowhere'}`)
        }
      }
  }
  expect(disagreeing).toEqual([])
})

it('lists the roles that allow the call and the groups that grant them', async () => {
  const project = await makeProject()
  const inProject = [{ project_id: project.id, role: 'project_member' as const }]
  const group = await makeGroup({ assigned_projects: inProject })
  await join(group.id, await makeUser({ domain_permissions: ['quota_manager'] }))
  const { data, roles, next } = await page(admin, { call: 'volumes.create', project_id: project.id })
  expect(data.find((it) => it.name === name)?.roles).toEqual([
    { role: 'project_member', given_in: 'project', group: { id: group.id, name }, allows: true },
  ])
  // each of these roles is sufficient; domain administrators do not see system roles
  expect(roles).toEqual([
    { role: 'project_admin', given_in: 'project' },
    { role: 'project_member', given_in: 'project' },
    { role: 'domain_admin', given_in: 'domain' },
  ])
  expect(next).toBeNull()
  const ofOperators = await page(operator, { call: 'volumes.create' })
  expect(ofOperators.roles.map(({ role }) => role)).toContain('admin')
})

it('pages through all holders without duplicates', { timeout: 60_000 }, async () => {
  const project = await makeProject()
  const group = await makeGroup({ assigned_projects: [{ project_id: project.id, role: 'project_member' }] })
  const made = []
  for (let count = 0; count < HOLDERS_ON_PAGE + 3; count += 1) made.push(await makeUser({ name: `${name}_${count}` }))
  // this user is found by both filters, because of a domain role and a project role
  made.push(await makeUser({ name: `${name}_both`, domain_permissions: ['domain_admin'] }))
  await join(group.id, ...made)
  const query = { call: 'volumes.create', project_id: project.id }
  expect((await page(admin, query)).data).toHaveLength(HOLDERS_ON_PAGE)
  const people = await all(admin, query)
  expect(new Set(people.map(({ id }) => id)).size).toBe(people.length)
  expect(namesOf(people)).toEqual(expect.arrayContaining(made.map((it) => it.name)))
  for (const marker of ['x', '9.', '7.abc'])
    expect(await refusal(page(admin, { ...query, marker }))).toMatchObject({ code: 'invalid_marker' })
})

it('lists for an object only users who can see it and whom no rule refuses', async () => {
  const self = server.cast.people[admin].user
  const other = await makeUser({ domain_permissions: ['domain_admin'] })
  const query = { call: 'users.delete', object_id: self.id }
  // users cannot delete themselves
  expect((await all(admin, query)).map(({ id }) => id)).toContain(other.id)
  expect((await all(admin, query)).map(({ id }) => id)).not.toContain(self.id)
  const [volume] = (await createSamples(server, 'project-member', name)).filter(({ kind }) => kind === 'volume')
  const about = { call: 'volumes.view', object_id: volume!.id }
  const inside = await all(operator, { ...about, project_id: projectNamed('alpha-one') })
  expect(namesOf(inside)).toEqual(expect.arrayContaining(['project_member', 'project_admin', 'admin']))
  // the object is not in that project
  expect(await all(operator, { ...about, project_id: projectNamed('alpha-two') })).toEqual([])
})

it('is limited to administrators and to users in their domains', async () => {
  const call = 'volumes.create'
  for (const as of ['project-member', 'project-admin', 'service-account', 'domain-admin@alpha-one'] as const)
    expect(await refusal(page(as, { call }))).toMatchObject({ code: 'forbidden' })
  const beta = { call, project_id: projectNamed('beta-one') }
  expect(await refusal(page(admin, beta))).toMatchObject({ code: 'not_found' })
  expect(namesOf(await all(operator, beta))).toContain('other_member')
  // only operators see users from other domains who can access a project
  const inAlpha = { call, project_id: projectNamed('alpha-one') }
  expect(namesOf(await all(operator, inAlpha))).toContain('admin')
  expect(namesOf(await all(admin, inAlpha))).not.toContain('admin')
  const [volume] = (await createSamples(server, 'other-member', name)).filter(({ kind }) => kind === 'volume')
  const foreign = { ...inAlpha, call: 'volumes.delete', object_id: volume!.id }
  expect(await refusal(page(admin, foreign))).toMatchObject({ code: 'not_found' })
})

it('returns an error for unknown calls and for calls that every user may make', async () => {
  expect(await refusal(page(admin, { call: 'session.whoami' }))).toMatchObject({ code: 'validation', fields: ['call'] })
  expect(await refusal(page(admin, { call: 'volumes.explode' }))).toMatchObject({
    code: 'validation',
    fields: ['call'],
  })
})
