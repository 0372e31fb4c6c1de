import { allEndpoints } from '@mainstay/contract/resources'
import { computeNodes } from '@mainstay/contract/compute/nodes'
import { DEFAULT_LIMIT, MAX_LIMIT } from '@mainstay/contract/core/lists/paging'
import type { Endpoint } from '@mainstay/contract/core/endpoint'
import { GiB } from '@mainstay/contract/core/bytes'
import { disks } from '@mainstay/contract/infrastructure/disks'
import { nodeInterfaces } from '@mainstay/contract/infrastructure/interfaces'
import { nodes } from '@mainstay/contract/infrastructure/nodes'
import { domains } from '@mainstay/contract/identity/domains'
import { groups } from '@mainstay/contract/identity/groups'
import { identityProviders } from '@mainstay/contract/identity/identity-providers'
import { systemAccounts } from '@mainstay/contract/identity/system-accounts'
import { users } from '@mainstay/contract/identity/users'
import { alertRules } from '@mainstay/contract/monitoring/alert-rules'
import { auditLog } from '@mainstay/contract/monitoring/audit-log'
import { securityGroups } from '@mainstay/contract/networking/security-groups'
import { s3Users } from '@mainstay/contract/object-storage/s3-users'
import { volumes } from '@mainstay/contract/storage/volumes'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PersonaName } from '../testing/personas'
import { startServer, type TestServer } from '../testing/start-server'

/* Rules that every list of the API follows, tested over HTTP. */

let server: TestServer
const as = 'project-member'
const volumeCount = DEFAULT_LIMIT + 5
beforeAll(async () => {
  server = await startServer()
  for (let index = 10; index < 10 + volumeCount; index += 1)
    await server.call(volumes.create, { as, body: { name: `disk-${index}`, size: GiB } })
})
afterAll(() => server.close())

/** Lists that only operators can read. */
const ofOperators: readonly Endpoint[] = [
  computeNodes.list,
  nodes.list,
  disks.list,
  nodeInterfaces.list,
  domains.list,
  users.list,
  groups.list,
  identityProviders.list,
  systemAccounts.list,
  auditLog.list,
  alertRules.list,
]
const askerOf = (list: Endpoint) => (ofOperators.includes(list) ? 'superuser' : as)

/** The audit log uses `sorters` from browser grids; `sort` is an alias for it. */
const ownName = (list: Endpoint, field: string) => (list === auditLog.list && field === 'sort' ? 'sorters' : field)

const lists = Object.entries(allEndpoints).flatMap(([resource, table]) =>
  // excludes engines, which are a short list without pages and filters, and S3 users, which have a different paging
  // scheme (CA-008)
  'list' in table && 'query' in table.list && table.list !== s3Users.list
    ? [[resource, table.list as Endpoint] as const]
    : [],
)

describe.each(lists)('the list of %s', (_, list) => {
  it('returns data, pages, a revision and, on request, a count', async () => {
    const answer = await (await server.fetch(list, { as: askerOf(list), query: { with_count: true } })).json()
    expect(list.reply.parse(answer)).toEqual(answer)
    expect(answer).toHaveProperty('count')
  })

  it.each([
    ['an unknown filter', { colour: 'red' }, 'colour'],
    ['an unknown sort key', { sort: 'moon:asc' }, 'sort'],
    ['a malformed marker', { marker: '%00%ff' }, 'marker'],
    ['a limit of 0', { limit: '0' }, 'limit'],
    ['a limit above the maximum', { limit: String(MAX_LIMIT + 1) }, 'limit'],
    ['a limit that is not a number', { limit: 'many' }, 'limit'],
  ])('refuses %s and names the parameter', async (_name, query, field) => {
    const response = await server.fetch(list, { as: askerOf(list), query })
    const { error } = (await response.json()) as { error: { fields: object } }
    expect([response.status, Object.keys(error.fields)]).toEqual([400, [ownName(list, field)]])
  })

  it.each([
    ['no token', {}],
    ['a forged token', { 'x-auth-token': 'F'.repeat(43) }],
    ['a token with invalid characters', { 'x-auth-token': 'ÿ' }],
  ])('returns 401 for %s', async (_name, headers) => {
    expect((await server.fetch(list, { headers })).status).toBe(401)
  })
})

describe('a list', () => {
  const names = ({ data }: { data: { name: string }[] }) => data.map(({ name }) => name)

  it(`has ${DEFAULT_LIMIT} rows per page unless a limit is given [CO-013]`, async () => {
    expect(DEFAULT_LIMIT).toBe(20)
    expect((await server.call(volumes.list, { as })).data).toHaveLength(20)
    expect((await server.call(volumes.list, { as, query: { limit: 7 } })).data).toHaveLength(7)
  })

  it('continues from a page marker or from the last ID of the previous page [CA-006] [CA-007]', async () => {
    const query = { sort: 'name:asc', with_count: true }
    const first = await server.call(volumes.list, { as, query })
    expect(first).toMatchObject({ count: volumeCount, pages: [{ rel: 'next', marker: expect.any(String) }] })
    const byPages = await server.call(volumes.list, { as, query: { ...query, marker: first.pages[0]!.marker } })
    const byLastId = await server.call(volumes.list, { as, query: { ...query, marker: first.data.at(-1)!.id } })
    expect(byPages.pages).toEqual([])
    expect(names(byLastId)).toEqual(names(byPages))
    expect(new Set([...names(first), ...names(byPages)]).size).toBe(volumeCount)
  })

  it('contains only rows of the project that the token is bound to [CA-001]', async () => {
    const token = await server.login('service-account')
    const enter = async (project: string) => {
      const params = { id: server.cast.projects[project]!.id }
      return server.call(allEndpoints.session.enterProject, { as: { token }, params })
    }
    const count = async (project: string) =>
      (await server.call(volumes.list, { as: await enter(project), query: { with_count: true } })).count
    expect([await count('alpha-one'), await count('beta-one')]).toEqual([volumeCount, 0])
  })

  it('accepts domains in the project filter and applies them as an additional filter [VA-017]', async () => {
    const { alpha, beta } = server.cast.domains as Record<string, { id: string }>
    const project = (name: string) => server.cast.projects[name]!.id
    const named = (name: string, projectName: string) =>
      server.call(securityGroups.create, { as: `service-account@${projectName}` as PersonaName, body: { name } })
    await Promise.all([named('one', 'alpha-one'), named('two', 'alpha-two'), named('three', 'beta-one')])
    const found = async (query: Record<string, string>) => {
      const reply = await server.call(securityGroups.list, {
        ...{ as: 'superuser', query: { ...query, name: 'not:default', sort: 'name:asc', limit: 100 } },
      })
      return reply.data.map(({ name }) => name)
    }
    expect(await found({ project_id: `domain:${alpha!.id}` })).toEqual(['one', 'two'])
    expect(await found({ project_id: `in:domain:${alpha!.id},domain:${beta!.id}` })).toEqual(['one', 'three', 'two'])
    // a row must match both, as with two separate filters
    const both = { project_id: `in:domain:${alpha!.id},${project('alpha-two')},${project('beta-one')}` }
    expect(await found(both)).toEqual(['two'])
    expect(await found({ ...both, domain_id: beta!.id })).toEqual([])
    expect(await found({ project_id: `not:domain:${alpha!.id}` })).toEqual(['three'])
    const lines = async (query: Record<string, string>) =>
      (await server.call(auditLog.list, { as: 'superuser', query: { ...query, type: 'security_group' } })).data.length
    expect(await lines({ project_id: `domain:${alpha!.id}` })).toBe(2)
    expect(await lines({ project_id: `in:domain:${alpha!.id},${project('alpha-one')}` })).toBe(1)
    expect(await lines({ project_id: project('beta-one') })).toBe(1)
  })

  it('refuses callers without a project', async () => {
    const answer = await server.fetch(volumes.list, { as: { token: await server.login('project-member') } })
    expect(answer.status).toBe(403)
  })
})
