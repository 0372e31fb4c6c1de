import { signRequest } from '@mainstay/engines/s3/signature/sign'
import { users } from '@mainstay/contract/identity/users'
import { s3Keys } from '@mainstay/contract/object-storage/s3-keys'
import { S3_REGION, s3Service } from '@mainstay/contract/object-storage/s3-service'
import { s3Users } from '@mainstay/contract/object-storage/s3-users'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Persona } from '../../testing/personas'
import { startServer, type TestServer } from '../../testing/start-server'

let server: TestServer
const as = 'superuser'
const people = ['project-member', 'project-admin', 'service-account', 'other-member'] as const
beforeAll(async () => {
  server = await startServer()
  await server.call(s3Service.create, { as })
  for (const who of people) await server.call(s3Keys.account, { as: who })
})
afterAll(() => server.close())

const idOf = (who: Persona) => server.cast.people[who].user.id
const alpha = () => server.cast.domains['alpha']!.id
const beta = () => server.cast.domains['beta']!.id
const list = (scope: string, query = {}) => server.call(s3Users.list, { as, params: { scope }, query })

it('lists the S3 users of one domain or all domains with email, state and keys [CA-104] [EN-012]', async () => {
  const { user } = server.cast.people['project-member']
  const changed = { as, params: { domain_id: alpha(), id: user.id }, body: { email: 'member@alpha.example' } }
  await server.call(users.update, changed as never)
  const { acc_key } = await server.call(s3Keys.create, { as: 'project-member', body: { name: 'one' } })
  const ofAlpha = await list(alpha())
  expect(ofAlpha.data.map(({ id }) => id)).toEqual(
    [idOf('project-member'), idOf('project-admin'), idOf('service-account')].sort(),
  )
  expect(ofAlpha.data.find(({ id }) => id === user.id)).toEqual({
    ...{ id: user.id, email: 'member@alpha.example', name: user.name, domain_id: alpha() },
    ...{ arn: expect.stringMatching(/^arn:aws:iam::/), is_enabled: true },
    ...{ quota: expect.any(Number), quota_objects: 1_000_000 },
    keys: [expect.objectContaining({ acc_key, name: 'one', enabled: true })],
    usage: { buckets: 0, objects: 0, size: 0 },
  })
  expect((await list('cluster')).data.map(({ id }) => id)).toEqual(people.map(idOf).sort())
  expect((await list(beta())).data.map(({ id }) => id)).toEqual([idOf('other-member')])
  await expect(list('nowhere')).rejects.toMatchObject({ code: 'not_found' })
})

it('lists `count` users after `marker` and reports whether there are more [CA-008]', async () => {
  const all = people.map(idOf).sort()
  const first = await list('cluster', { count: 3 })
  expect(first.data.map(({ id }) => id)).toEqual(all.slice(0, 3))
  expect([first.is_truncated, first.next_marker]).toEqual([true, all[2]])
  const second = await list('cluster', { count: 3, marker: first.next_marker! })
  expect(second.data.map(({ id }) => id)).toEqual(all.slice(3))
  expect([second.is_truncated, second.next_marker]).toEqual([false, null])
  // a page that is full but the last one is not truncated
  expect(await list('cluster', { count: 4 })).toMatchObject({ is_truncated: false, next_marker: null })
  for (const count of [0, 101]) await expect(list('cluster', { count })).rejects.toMatchObject({ code: 'validation' })
})

it('lets operators list, create and delete the keys of a user [CA-105] [CA-106] [CA-107]', async () => {
  const params = { scope: beta(), id: idOf('other-member') }
  const keys = async () => (await server.call(s3Users.keys, { as, params })).data
  expect(await keys()).toEqual([])
  const answer = await server.fetch(s3Users.createKey, { as, params, body: { name: 'given' } })
  const made = (await answer.json()) as { acc_key: string; sec_key: string }
  expect(answer.status).toBe(201)
  expect(made.sec_key.length).toBeGreaterThanOrEqual(32)
  const kept = await keys()
  expect(kept).toEqual([expect.objectContaining({ acc_key: made.acc_key, name: 'given', enabled: true })])
  expect(JSON.stringify(kept)).not.toContain('sec_key')
  expect((await server.call(s3Keys.account, { as: 'other-member' })).keys).toEqual(kept)
  // viewers can only view keys
  const byViewer = { as: 'viewer', params } as const
  expect((await server.call(s3Users.keys, byViewer)).data).toEqual(kept)
  await expect(server.call(s3Users.createKey, { ...byViewer, body: {} })).rejects.toMatchObject({ code: 'forbidden' })
  const ofKey = { ...params, key: made.acc_key }
  await expect(server.call(s3Users.deleteKey, { as: 'viewer', params: ofKey })).rejects.toMatchObject({
    code: 'forbidden',
  })
  // the key is not found for another user or domain
  const wrong = [
    { ...ofKey, id: idOf('project-admin'), scope: 'cluster' },
    { ...ofKey, scope: alpha() },
    { ...ofKey, id: 'nobody' },
  ]
  for (const given of wrong)
    await expect(server.call(s3Users.deleteKey, { as, params: given })).rejects.toMatchObject({ code: 'not_found' })
  expect((await server.fetch(s3Users.deleteKey, { as, params: ofKey })).status).toBe(204)
  expect(await keys()).toEqual([])
})

it('disables and enables a user and sets quotas [EN-012]', async () => {
  const params = { scope: 'cluster', id: idOf('project-admin') }
  const change = (body: { is_enabled?: boolean; quota?: number | null; quota_objects?: number | null }) =>
    server.call(s3Users.update, { as, params, body })
  expect(await change({ quota: 5 * 1024 ** 3 })).toMatchObject({ quota: 5 * 1024 ** 3, is_enabled: true })
  expect(await change({ is_enabled: false })).toMatchObject({ quota: 5 * 1024 ** 3, is_enabled: false })
  const own = server.call(s3Keys.account, { as: 'project-admin' })
  await expect(own).rejects.toMatchObject({ code: 's3_user_disabled' })
  expect(await change({ is_enabled: true, quota: null })).toMatchObject({ quota: null, quota_objects: 1_000_000 })
  expect(await change({ quota_objects: null })).toMatchObject({ quota: null, quota_objects: null })
  await expect(change({ quota: -1 })).rejects.toMatchObject({ code: 'validation' })
})

it('refuses calls from tenants', async () => {
  for (const who of ['domain-admin', 'project-admin', 'project-member'] as const)
    await expect(server.call(s3Users.list, { as: who, params: { scope: alpha() } })).rejects.toMatchObject({
      code: 'forbidden',
    })
})

/** Returns the status of an S3 call that is signed with a key. */
async function answerTo({ acc_key, sec_key }: { acc_key: string; sec_key: string }): Promise<number> {
  const { endpoint } = await server.call(s3Service.view, { as })
  const { host } = new URL(endpoint!)
  const headers = signRequest(
    { method: 'GET', path: '/', query: [], headers: { host }, payload: 'UNSIGNED-PAYLOAD' },
    { accessKey: acc_key, secretKey: sec_key },
    S3_REGION,
  )
  return (await fetch(`${endpoint}/`, { headers })).status
}

it('refuses keys while the user or the domain is disabled', { tags: 'all' }, async () => {
  const { acc_key, sec_key } = await server.call(s3Keys.create, { as: 'other-member', body: {} })
  const status = () => answerTo({ acc_key, sec_key })
  expect(await status()).toBe(200)
  for (const [kind, id] of [
    ['user', idOf('other-member')],
    ['domain', beta()],
  ] as const) {
    await server.tools.identity.setEnabled(kind, id, false)
    await expect.poll(status).toBe(403)
    await server.tools.identity.setEnabled(kind, id, true)
    await expect.poll(status).toBe(200)
  }
})

it('refuses keys of users who have no enabled project', { tags: 'all' }, async () => {
  const who = 'other-member'
  const key = await server.call(s3Keys.create, { as: who, body: {} })
  const status = () => answerTo(key)
  expect(await status()).toBe(200)
  const { user, project } = server.cast.people[who]
  const assign = (role: string) => {
    const params = { domain_id: user.domain_id, id: user.id }
    return server.call(users.update, {
      ...{ as, params, body: { assigned_projects: [{ project_id: project!.id, role }] } },
    } as never)
  }
  await assign('none')
  await expect.poll(status).toBe(403)
  await assign('project_member')
  await expect.poll(status).toBe(200)
  await server.tools.identity.setEnabled('project', project!.id, false)
  await expect.poll(status).toBe(403)
  await server.tools.identity.setEnabled('project', project!.id, true)
  await expect.poll(status).toBe(200)
})

it('keeps the account of a deleted user visible to operators, but refuses its keys', async () => {
  const id = idOf('service-account')
  const key = await server.call(s3Keys.create, { as: 'service-account', body: {} })
  expect(await answerTo(key)).toBe(200)
  await server.call(users.delete, { as, params: { domain_id: alpha(), id } } as never)
  const { data } = await list(alpha())
  expect(data.find((it) => it.id === id)).toMatchObject({ id, name: id, email: null, is_enabled: false })
  await expect.poll(() => answerTo(key)).toBe(403)
})
