import { Problem } from '@mainstay/contract/core/problems'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { Secret } from '../../ports/secret'
import { type PretendedCloud, startPretendedCloud } from '../testing/pretended-cloud'
import { type Cloud, createCloud } from './cloud'

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const Row = z.object({ id: z.string() })

let pretended: PretendedCloud
let cloud: Cloud
const start = async (more: Parameters<typeof startPretendedCloud>[0] = {}) => {
  pretended = await startPretendedCloud(more)
  cloud = createCloud({ authUrl: pretended.authUrl, log })
}
beforeEach(() => start())
afterEach(async () => {
  await cloud.close()
  await pretended.close()
})

const account = () =>
  cloud.passwordTokens(
    { user: { name: 'mainstay', domain: { id: 'default' } }, password: new Secret('service-secret') },
    { project: { name: 'admin', domain: { id: 'default' } } },
  )
const service = (requestId?: string) => cloud.callerFor(account(), requestId === undefined ? {} : { requestId })
const signIn = (name = 'demo', password = 'demo') =>
  cloud.authenticate(
    { method: 'password', user: { name, domain: { name: 'Default' } }, password: new Secret(password) },
    'unscoped',
  )
const problem = async (attempt: Promise<unknown>): Promise<Problem> => {
  const error: unknown = await attempt.then(
    () => null,
    (refused: unknown) => refused,
  )
  expect(error).toBeInstanceOf(Problem)
  return error as Problem
}
const rowsOf = async (pages: AsyncIterable<{ id: string }[]>) => {
  const ids: string[] = []
  for await (const page of pages) ids.push(...page.map(({ id }) => id))
  return ids
}
const rows = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `row-${index}` }))

describe('who calls', () => {
  test('a service account signs in once for many calls at once', async () => {
    pretended.list('compute', '/servers/detail', 'servers', rows(3))
    const caller = service()
    await Promise.all(
      [1, 2, 3, 4].map(() => caller.get('compute', '/servers/detail', z.object({ servers: z.array(Row) }))),
    )
    expect(pretended.received.filter(({ path }) => path === '/auth/tokens')).toHaveLength(1)
    expect(pretended.received.at(-1)?.token?.user.name).toBe('mainstay')
  })

  test('a tenant acts with a token of their own in their project', async () => {
    pretended.on('compute', 'POST', '/servers', () => ({ status: 202, body: { server: { id: 's-1' } } }))
    const signedIn = await signIn()
    const caller = cloud.callerFor(cloud.rescoped(signedIn.id, 'p-demo'))
    await caller.send('POST', 'compute', '/servers', z.object({ server: Row }), { body: { server: { name: 'a' } } })
    await caller.send('POST', 'compute', '/servers', z.void())
    const made = pretended.received.filter(({ path }) => path === '/servers')
    expect(made.map(({ token }) => [token?.user.name, token?.project?.name])).toEqual([
      ['demo', 'demo'],
      ['demo', 'demo'],
    ])
    expect(made[0]?.body).toEqual({ server: { name: 'a' } })
    // signed in, and rescoped once
    expect(pretended.received.filter(({ path }) => path === '/auth/tokens')).toHaveLength(2)
  })

  test('a project without a role is forbidden, an ended sign-in unauthorized, a wrong password told as such', async () => {
    const signedIn = await signIn()
    const elsewhere = cloud.callerFor(cloud.rescoped(signedIn.id, 'p-admin'))
    expect(await problem(elsewhere.get('compute', '/servers', z.unknown()))).toMatchObject({ code: 'forbidden' })
    await cloud.revoke(signedIn.id)
    const ended = cloud.callerFor(cloud.rescoped(signedIn.id, 'p-demo'))
    expect(await problem(ended.get('compute', '/servers', z.unknown()))).toMatchObject({ code: 'unauthorized' })
    expect(await problem(signIn('demo', 'guess'))).toMatchObject({ code: 'wrong_credentials' })
  })
})

describe('lists', () => {
  test.each([
    ['compute', '/servers/detail', 'servers'],
    ['volume', '/volumes/detail', 'volumes'],
    ['network', '/networks', 'networks'],
    ['image', '/images', 'images'],
    ['identity', '/projects', 'projects'],
  ] as const)('all pages of %s', async (kind, path, key) => {
    const all = rows(25)
    pretended.list(kind, path, key, all)
    const ids = await rowsOf(service().pages(kind, path, key, Row, { query: { limit: 10, all_tenants: true } }))
    expect(ids).toEqual(all.map(({ id }) => id))
    expect(pretended.received.filter((call) => call.path === path)).toHaveLength(3)
  })
})
