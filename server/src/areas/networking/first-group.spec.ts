import { projects } from '@mainstay/contract/identity/projects'
import { securityGroupRules } from '@mainstay/contract/networking/security-group-rules'
import { securityGroups } from '@mainstay/contract/networking/security-groups'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { PersonaName } from '../../testing/personas'
import { startServer, type TestServer } from '../../testing/start-server'

const operator = 'superuser'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

it('creates the default security group together with the project, not when it is read', async () => {
  const name = 'default'
  const firstOf = async (who: PersonaName) =>
    (await server.call(securityGroups.list, { as: who, query: { name, with_count: true } })).data
  // nothing has been created in this project
  const [group, ...others] = await firstOf('other-member')
  expect([group!.name, group!.port_count, others]).toEqual([name, 0, []])
  expect(
    group!.security_group_rules.map(({ direction, ethertype, remote_group_id }) => [
      direction,
      ethertype,
      remote_group_id,
    ]),
  ).toEqual(
    expect.arrayContaining([
      ['egress', 'IPv4', null],
      ['egress', 'IPv6', null],
      ['ingress', 'IPv4', group!.id],
      ['ingress', 'IPv6', group!.id],
    ]),
  )
  const params = { id: group!.id }
  expect(await server.call(securityGroups.view, { as: 'other-member', params })).toEqual(group)
  const rules = await server.call(securityGroupRules.list, {
    ...{ as: 'other-member', query: { security_group_id: group!.id } },
  })
  expect(rules.data).toHaveLength(4)

  // a new project has its default group immediately, and reading it changes nothing
  const made = await server.call(projects.create, {
    ...{ as: operator, params: { domain_id: server.cast.domains['alpha']!.id }, body: { name: 'fresh' } },
  })
  const rows = () =>
    server.sql.query<{ id: string; revision: string }>(
      "select id, revision::text from resource where kind in ('security_group', 'security_group_rule') order by id",
    )
  const before = await rows()
  const query = { project_id: made.id }
  for (let reads = 0; reads < 3; reads++)
    expect((await server.call(securityGroups.list, { as: operator, query })).data.map((it) => it.name)).toEqual([name])
  await firstOf('other-member')
  expect(await rows()).toEqual(before)
  // the group does not prevent deleting the project and is deleted with it
  await server.call(projects.delete, {
    ...{ as: operator, params: { domain_id: made.domain_id, id: made.id } },
  })
  expect((await server.call(securityGroups.list, { as: operator, query })).data).toEqual([])
})
