import { account as ownAccount } from '@mainstay/contract/identity/account'
import { auditLog } from '@mainstay/contract/monitoring/audit-log'
import { MOST_S3_KEYS, s3Keys } from '@mainstay/contract/object-storage/s3-keys'
import { s3Service } from '@mainstay/contract/object-storage/s3-service'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { PersonaName } from '../../testing/personas'
import { startServer, type TestServer } from '../../testing/start-server'

let server: TestServer
const as = 'project-member'
beforeAll(async () => {
  server = await startServer()
  await server.call(s3Service.create, { as: 'superuser' })
})
afterAll(() => server.close())

const account = (who: PersonaName = as) => server.call(s3Keys.account, { as: who })
const create = (body: { name?: string } = {}, who: PersonaName = as) => server.call(s3Keys.create, { as: who, body })
const remove = (key: string, who: PersonaName = as) => server.fetch(s3Keys.delete, { as: who, params: { key } })
beforeEach(async () => {
  for (const who of [as, 'other-member'] as const)
    for (const { acc_key } of (await account(who)).keys) await remove(acc_key, who)
})

it('gives each user a single S3 user with an ARN, a state and keys [CA-110] [EN-010]', async () => {
  const made = await account()
  expect(made).toMatchObject({ enabled: true, keys: [], usage: { buckets: 0, objects: 0, size: 0 } })
  expect(made.arn).toMatch(/^arn:aws:iam::/)
  // default quotas protect the shared disk and database
  expect([made.quota! >= 1024 ** 3, made.quota_objects]).toEqual([true, 1_000_000])
  const { acc_key } = await create({ name: 'backup' })
  const again = await account()
  expect(again.arn).toBe(made.arn)
  expect(again.keys).toEqual([
    { acc_key, name: 'backup', enabled: true, created_at: expect.stringMatching(/^2\d{3}-/), last_used_at: null },
  ])
  expect((await account('project-admin')).arn).not.toBe(made.arn)
  // the S3 user is the same in all projects
  expect((await account('service-account@alpha-two')).arn).toBe((await account('service-account')).arn)
})

it('creates a single account when the first calls are made concurrently', async () => {
  const port = server.tools.ports['object-storage']
  for (let round = 0; round < 25; round++) {
    const owner = { user_id: `newcomer-${round}`, domain_id: 'alpha' }
    const [accounts, signers] = await Promise.all([
      Promise.all([1, 2, 3, 4, 5, 6].map(() => port.account(owner, true))),
      Promise.all([1, 2, 3, 4].map(() => port.signer(owner))),
    ])
    expect(accounts.map((it) => it?.user_id)).toEqual(Array.from({ length: 6 }, () => owner.user_id))
    expect(new Set(signers.map(({ accessKey }) => accessKey)).size).toBe(1)
  }
})

it('returns the secret only when the key is created [CA-111] [EN-011]', async () => {
  const answer = await server.fetch(s3Keys.create, { as, body: { name: 'rotation' } })
  const made = (await answer.json()) as { acc_key: string; sec_key: string; name: string }
  expect(answer.status).toBe(201)
  expect(made).toMatchObject({ name: 'rotation', enabled: true, last_used_at: null })
  expect(made.acc_key).toMatch(/^[A-Z0-9]{16,128}$/)
  expect(made.sec_key.length).toBeGreaterThanOrEqual(32)
  const changed = await server.call(s3Keys.update, { as, params: { key: made.acc_key }, body: { name: 'other' } })
  const everywhere = [await account(), changed, await server.sql.query('select * from audit')]
  expect(JSON.stringify(everywhere)).not.toContain(made.sec_key)
  expect(JSON.stringify(everywhere)).not.toContain('sec_key')
  const { data } = await server.call(auditLog.list, { as: 'superuser', query: { activity: 's3_key.create' } })
  expect(data[0]).toMatchObject({ activity: 's3_key.create', result: 'success', object_name: 'rotation' })
})

it('limits users to two keys, which is enough to rotate them', async () => {
  for (let made = 0; made < MOST_S3_KEYS; made++) await create()
  await expect(create()).rejects.toMatchObject({ code: 'key_limit', status: 409 })
  await remove((await account()).keys[0]!.acc_key)
  await create()
  expect((await account()).keys).toHaveLength(MOST_S3_KEYS)
})

it('disables, enables and renames a key and returns it first in the list [CA-112]', async () => {
  const [first, second] = [await create({ name: 'a' }), await create({ name: 'b' })]
  for (const { acc_key, name } of [first, second]) {
    const answer = await server.call(s3Keys.update, { as, params: { key: acc_key }, body: { enabled: false } })
    expect(answer[0]).toMatchObject({ acc_key, name, enabled: false })
    expect(answer.map((it) => it.acc_key).sort()).toEqual([first.acc_key, second.acc_key].sort())
  }
  const renamed = await server.call(s3Keys.update, {
    ...{ as, params: { key: second.acc_key }, body: { enabled: true, name: 'c' } },
  } as const)
  expect(renamed[0]).toMatchObject({ acc_key: second.acc_key, name: 'c', enabled: true })
  const kept = new Map((await account()).keys.map(({ acc_key, name, enabled }) => [acc_key, [name, enabled]]))
  expect(kept).toEqual(
    new Map([
      [first.acc_key, ['a', false]],
      [second.acc_key, ['c', true]],
    ]),
  )
})

it('deletes a key, which is then not found [CA-113]', async () => {
  const { acc_key } = await create()
  expect((await remove(acc_key)).status).toBe(204)
  expect((await account()).keys).toEqual([])
  expect((await remove(acc_key)).status).toBe(404)
})

it('hides keys of other users', async () => {
  const { acc_key } = await create()
  const change = { as: 'other-member', params: { key: acc_key }, body: { enabled: false } } as const
  await expect(server.call(s3Keys.update, change)).rejects.toMatchObject({ code: 'not_found' })
  expect((await remove(acc_key, 'other-member')).status).toBe(404)
  expect((await account()).keys).toMatchObject([{ acc_key, enabled: true }])
})

it('requires a project, so operators and unscoped users have no keys', async () => {
  for (const who of ['superuser', 'viewer', 'domain-admin'] as const)
    await expect(account(who)).rejects.toMatchObject({ code: 'forbidden' })
  expect((await account('domain-admin@alpha-one')).enabled).toBe(true)
})

it('does not create keys with an API token, because the key would outlive the token', async () => {
  const project_id = server.cast.projects['alpha-one']!.id
  const expires_at = new Date(Date.now() + 3_600_000).toISOString()
  const unscoped = { token: await server.login(as) }
  for (const read_only of [false, true]) {
    const body = { name: `script ${read_only}`, expires_at, project_id, read_only }
    const { token } = await server.call(ownAccount.createToken, { as: unscoped, body })
    const created = server.call(s3Keys.create, { as: { token }, body: {} })
    await expect(created).rejects.toMatchObject({ code: 'forbidden', status: 403 })
    expect((await server.call(s3Keys.account, { as: { token } })).keys).toEqual([])
  }
  const { token } = await server.call(ownAccount.createToken, {
    as: unscoped,
    body: { name: 'words', expires_at, project_id },
  })
  await expect(server.call(s3Keys.create, { as: { token }, body: {} })).rejects.toThrow(
    /cannot be created with an API token/,
  )
})
