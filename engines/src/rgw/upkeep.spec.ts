import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../../server/src/testing/start-server'
import { silentLogger } from '../../../server/src/testing/silent-logger'
import { Secret } from '../ports/secret'
import { openAccounts, type Accounts } from './accounts'
import { createRgwAdmin, RgwRefused, type RgwAdmin } from './admin-client'
import { createSettle, type Settle } from './settle'
import { ADMIN_KEY, startFakeGateway, type FakeGateway } from './testing/fake-gateway'
import { startUpkeep, type Upkeep } from './upkeep'

/* Tests background synchronization without waiting for its timer. */

let gateway: FakeGateway
let server: TestServer
let admin: RgwAdmin
let settle: Settle
let accounts: Accounts
let upkeep: Upkeep
const inactive = new Set<string>()
const [ada, bob] = ['ada', 'bob'].map((user_id) => ({ user_id, domain_id: `of-${user_id}` })) as [
  { user_id: string; domain_id: string },
  { user_id: string; domain_id: string },
]

beforeAll(async () => {
  gateway = await startFakeGateway()
  server = await startServer()
  admin = createRgwAdmin({
    ...{ endpoint: gateway.url, adminEndpoint: gateway.url, region: 'us-east-1', ca: null },
    ...{ accessKey: ADMIN_KEY, secretKey: new Secret('secret') },
  })
  const identity = () => ({ user: () => Promise.resolve(null) })
  settle = createSettle({ sql: server.sql, admin, identity, isActive: async (id) => !inactive.has(id) })
  accounts = openAccounts({ sql: server.sql, admin, settle })
  upkeep = startUpkeep(server.sql, settle, silentLogger, () => Promise.resolve())
  for (const owner of [ada, bob]) await accounts.account(owner, true)
})
afterAll(async () => {
  await upkeep.close()
  await admin.close()
  await server.close()
  await gateway.close()
})
beforeEach(() => {
  inactive.clear()
  delete gateway.trouble.code
})
const suspended = () => [ada, bob].map(({ user_id }) => gateway.users.get(user_id)?.suspended)

it('the next round suspends users who were disabled elsewhere, and resumes them once they are enabled', async () => {
  await upkeep.round()
  expect(suspended()).toEqual([0, 0])
  inactive.add('ada')
  await upkeep.round()
  expect(suspended()).toEqual([1, 0])
  inactive.clear()
  await upkeep.round()
  expect(suspended()).toEqual([0, 0])
})

it('changes made while the gateway is unavailable are applied when it responds again', async () => {
  gateway.trouble.code = 'InternalError'
  await expect(accounts.setDomainEnabled(ada.domain_id, false)).rejects.toMatchObject({ code: 'engine_unavailable' })
  expect(await accounts.isDomainEnabled(ada.domain_id)).toBe(false)
  expect(suspended()).toEqual([0, 0])
  delete gateway.trouble.code
  await upkeep.round()
  expect(suspended()).toEqual([1, 0])
  await accounts.setDomainEnabled(ada.domain_id, true)
  expect(suspended()).toEqual([0, 0])
})

it('continues with the other accounts if the gateway refuses one', async () => {
  const asked: string[] = []
  const one: Settle['one'] = async (userId) => {
    asked.push(userId)
    if (userId === 'ada') throw new RgwRefused(400, 'InvalidArgument')
    return null
  }
  const other = startUpkeep(server.sql, { ...settle, one }, silentLogger, () => Promise.resolve())
  await expect(other.round()).rejects.toThrow('InvalidArgument')
  expect(asked).toEqual(['ada', 'bob'])
  await other.close()
})

it('recreates all users on a replaced gateway', async () => {
  gateway.users.delete('ada')
  gateway.users.delete('bob')
  await upkeep.round()
  expect(suspended()).toEqual([0, 0])
})

it('removes a key if its row could not be written after the gateway created the key', async () => {
  const broken = settle.one('ada', async ({ tx }) => {
    await admin.makeKey('ada', 'MS0000000000000000FF')
    await tx.query('select 1 / 0')
  })
  await expect(broken).rejects.toThrow('division by zero')
  const keys = () => gateway.users.get('ada')!.keys.map((key) => key.access_key)
  expect(keys()).toContain('MS0000000000000000FF')
  await upkeep.round()
  expect(keys()).not.toContain('MS0000000000000000FF')
})

it('caches the console key of a user for a minute, and creates it once for concurrent requests', async () => {
  const before = gateway.asked.length
  const [first, ...others] = await Promise.all(Array.from({ length: 4 }, () => accounts.signer(bob)))
  for (const other of others) expect(other).toEqual(first)
  expect(gateway.users.get('bob')!.keys).toHaveLength(1)
  const asked = gateway.asked.length
  expect(asked).toBeGreaterThan(before)
  await accounts.signer(bob)
  expect(gateway.asked).toHaveLength(asked)
})
