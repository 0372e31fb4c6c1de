import { SshKey } from '@mainstay/contract/compute/ssh-keys'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { refusal } from '../../../conformance/cloud'
import type { SshKeysPort } from '../../../ports/compute'
import { startEngineFixture, type EngineFixture } from '../../testing/engine-fixture'
import { fakeCompute } from '../../testing/fake-cloud/compute'
import { serverRefusal, type FakeServers } from '../../testing/fake-cloud/servers'
import { fakeVolumes } from '../../testing/fake-cloud/volumes'
import { sshKeyCommands } from './commands'
import { sshKeyReader } from './shape'

let fixture: EngineFixture
let nova: FakeServers
let keys: SshKeysPort

beforeEach(async () => {
  fixture = await startEngineFixture([sshKeyReader])
  nova = fakeCompute(fixture.cloud, fakeVolumes(fixture.cloud))
  fixture.cloud.on('identity', 'GET', '/users/:id', ({ params }) =>
    params['id'] === 'u-demo' || params['id'] === 'u-other'
      ? { body: { user: { id: params['id'], domain_id: 'default' } } }
      : { status: 404, body: { error: { code: 404, message: 'Could not find user', title: 'Not Found' } } },
  )
  fixture.cloud.on('identity', 'GET', '/domains', () => ({ body: { domains: [{ id: 'default' }] } }))
  fixture.cloud.on('identity', 'GET', '/users', ({ query }) => ({
    body: { users: ['u-demo', 'u-other'].map((id) => ({ id, domain_id: query.get('domain_id') })) },
  }))
  keys = sshKeyCommands(fixture.engine)
})
afterEach(() => fixture.close())

const publicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOkBU3ydBHvR9CoLDurNuQ4ZLeb+BuOqZl9WjfaWQRS4 ada@laptop'
const draft = { name: 'my laptop', description: '', public_key: `  ${publicKey}\n` }

test('keeps keys per user, not per project, with names that are unique per user', async () => {
  const made = await keys.create(fixture.member, draft)
  expect(made).toEqual(SshKey.parse(made))
  expect(made).toMatchObject({
    ...{ name: 'my laptop', type: 'ed25519', public_key: publicKey, weak: false },
    ...{ user_id: 'u-demo', domain_id: 'default', project_id: null },
    fingerprint: 'SHA256:BN2XSKQzgAgLEVSs0B00VODE8WUFXSi6YBj29YJUmUE',
  })
  expect(await refusal(keys.create(fixture.member, draft))).toMatchObject({
    ...{ code: 'duplicate_name', fields: { name: [expect.any(String)] } },
  })
  const other = await keys.create(fixture.stranger, draft)
  expect(other.id).not.toBe(made.id)
  expect([...fixture.index.keys()]).toEqual([`key/${made.id}`, `key/${other.id}`])
})

test('deletes a key by ID or name, for its user or an operator', async () => {
  const [mine, theirs] = [await keys.create(fixture.member, draft), await keys.create(fixture.stranger, draft)]
  expect(await refusal(keys.delete(fixture.stranger, mine.id))).toMatchObject({ code: 'not_found' })
  await keys.delete(fixture.member, 'my laptop')
  await keys.delete(fixture.operator, theirs.id)
  expect([nova.keys.size, fixture.index.size]).toEqual([0, 0])
  expect(await refusal(keys.delete(fixture.member, mine.id))).toMatchObject({ code: 'not_found' })
})

test('refuses an invalid public key or an unsupported name, with an error on the field at fault', async () => {
  const broken = keys.create(fixture.member, { ...draft, public_key: 'ssh-ed25519 AAAA' })
  expect(await refusal(broken)).toMatchObject({ fields: { public_key: [expect.any(String)] } })
  fixture.cloud.microversions.compute = '2.90'
  fixture.cloud.on('compute', 'POST', '/os-keypairs', () =>
    serverRefusal(400, 'badRequest', 'Keypair data is invalid: Keypair name contains unsafe characters'),
  )
  expect(await refusal(keys.create(fixture.member, { ...draft, name: 'a.b' }))).toMatchObject({
    fields: { name: [expect.any(String)] },
  })
})

test("reads all users' keys and skips certificates", async () => {
  await keys.create(fixture.member, draft)
  await keys.create(fixture.stranger, draft)
  const certificate = { name: 'x509', public_key: '-----BEGIN CERTIFICATE-----', user_id: 'u-demo' }
  nova.keys.set('u-demo/x509', { ...certificate, created_at: '2026-11-21T20:00:00.000000' })
  const rows: SshKey[] = []
  for await (const page of sshKeyReader.all(fixture.engine.reading)) rows.push(...page)
  expect(rows.map(({ id }) => id)).toEqual(['u-demo~my laptop', 'u-other~my laptop'])
  const ids = [rows[0]!.id, 'u-demo~x509', 'u-gone~x', 'no id']
  expect([...(await sshKeyReader.some(fixture.engine.reading, ids)).values()]).toEqual([rows[0], null, null, null])
})
