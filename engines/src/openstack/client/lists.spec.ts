import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { idsOf, problemOf } from '../testing/outcomes'
import type { Reply } from '../testing/fake-cloud/cloud'
import { type ClientFixture, startClientFixture } from '../testing/client-fixture'

const Row = z.object({ id: z.string() })
const rows = Array.from({ length: 25 }, (_, index) => ({ id: `row-${index}` }))

let client: ClientFixture
beforeEach(async () => {
  client = await startClientFixture()
})
afterEach(() => client.stop())

test.each([
  ['compute', '/servers/detail', 'servers'],
  ['volume', '/volumes/detail', 'volumes'],
  ['network', '/networks', 'networks'],
  ['image', '/images', 'images'],
  ['identity', '/projects', 'projects'],
] as const)('reads all pages of a %s list and sends the query with each request', async (service, path, key) => {
  const { fake } = client
  fake.list(service, path, key, rows)
  const query = { limit: 10, all_tenants: true, status: ['in', 'out'], name: undefined }
  expect(await idsOf(client.service().pages(service, path, key, Row, { query }))).toEqual(rows.map(({ id }) => id))
  const asked = fake.received.filter((call) => call.path === path)
  expect(asked.map((call) => call.query.get('marker'))).toEqual([null, 'row-9', 'row-19'])
  for (const call of asked) {
    expect(call.query.getAll('status')).toEqual(['in', 'out'])
    expect(call.query.get('all_tenants')).toBe('true')
    expect(call.query.has('name')).toBe(false)
  }
})

test('follows next links with an internal host name through the configured URL', async () => {
  const { fake } = client
  fake.on('compute', 'GET', '/servers/detail', ({ query }) =>
    query.has('marker')
      ? { body: { servers: [{ id: 'second' }] } }
      : {
          body: {
            servers: [{ id: 'first' }],
            servers_links: [{ rel: 'next', href: 'http://inside.invalid:8774/v2.1/servers/detail?marker=first' }],
          },
        },
  )
  expect(await idsOf(client.service().pages('compute', '/servers/detail', 'servers', Row))).toEqual(['first', 'second'])
})

describe('a malformed or hostile list', () => {
  const page = (more: object): Reply => ({ body: { servers: [{ id: 'a' }], ...more } })
  const listOf = (reply: (turn: number) => Reply) => {
    let turn = 0
    client.fake.on('compute', 'GET', '/servers/detail', () => reply((turn += 1)))
    return idsOf(client.service().pages('compute', '/servers/detail', 'servers', Row))
  }
  const linkTo = (href: string) => page({ servers_links: [{ rel: 'next', href }] })

  test.each(['http://elsewhere.invalid/steal', '/compute/v2.1/os-keypairs?marker=a', 'http://['])(
    'rejects %s as the next page',
    async (href) => {
      const problem = await problemOf(listOf(() => linkTo(href)))
      expect(problem).toMatchObject({ code: 'engine_unavailable', data: { service: 'compute' } })
      expect(problem.message).toContain('the next page of a list points elsewhere')
    },
  )

  test('stops when the next links form a loop', async () => {
    const problem = await problemOf(listOf((turn) => linkTo(`/v2.1/servers/detail?marker=${turn % 3}`)))
    expect(problem.message).toContain('pages of a list repeat')
  })

  test.each<[string, Reply]>([
    ['rows with an unexpected structure', { body: { servers: [{ id: 7 }] } }],
    ['no rows', { body: { volumes: [] } }],
    ['null instead of a list', { body: null }],
    ['a web page instead of JSON', { text: '<html></html>' }],
    ['an empty body', { text: '' }],
  ])('with %s counts as a failure of the cloud', async (_, reply) => {
    expect(await problemOf(listOf(() => reply))).toMatchObject({ code: 'engine_unavailable', data: { status: 200 } })
  })
})

test('long lists leave connections free for short calls', async () => {
  const { fake } = client
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  fake.on('compute', 'GET', '/servers/:id', ({ params }) => ({ body: { server: { id: params['id'] } } }))
  fake.on('compute', 'GET', '/servers/detail', async () => {
    await held
    return { body: { servers: [] } }
  })
  const caller = client.service()
  const lists = Array.from({ length: 40 }, () => idsOf(caller.pages('compute', '/servers/detail', 'servers', Row)))
  // the short call succeeds while all lists are pending
  expect(await caller.get('compute', '/servers/s-1', z.unknown())).toEqual({ server: { id: 's-1' } })
  // the lists use a limited number of connections
  expect(fake.received.filter(({ path }) => path === '/servers/detail').length).toBeLessThanOrEqual(8)
  release()
  expect(await Promise.all(lists)).toHaveLength(40)
})
