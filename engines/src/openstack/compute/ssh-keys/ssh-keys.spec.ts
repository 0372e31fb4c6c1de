import { SshKey } from '@mainstay/contract/compute/ssh-keys'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { refusal } from '../../../conformance/cloud'
import type { SshKeysPort } from '../../../ports/compute'
import { startEngineGround, type EngineGround } from '../../testing/engine-ground'
import { pretendCompute } from '../../testing/pretended-compute'
import { serverRefusal, type PretendedServers } from '../../testing/pretended-servers'
import { pretendVolumes } from '../../testing/pretended-volumes'
import { sshKeyCommands } from './commands'
import { sshKeyReader } from './shape'

let ground: EngineGround
let nova: PretendedServers
let keys: SshKeysPort

beforeEach(async () => {
  ground = await startEngineGround([sshKeyReader])
  nova = pretendCompute(ground.cloud, pretendVolumes(ground.cloud))
  ground.cloud.on('identity', 'GET', '/users/:id', ({ params }) =>
    params['id'] === 'u-demo' || params['id'] === 'u-other'
      ? { body: { user: { id: params['id'], domain_id: 'default' } } }
      : { status: 404, body: { error: { code: 404, message: 'Could not find user', title: 'Not Found' } } },
  )
  ground.cloud.on('identity', 'GET', '/domains', () => ({ body: { domains: [{ id: 'default' }] } }))
  ground.cloud.on('identity', 'GET', '/users', ({ query }) => ({
    body: { users: ['u-demo', 'u-other'].map((id) => ({ id, domain_id: query.get('domain_id') })) },
  }))
  keys = sshKeyCommands(ground.engine)
})
afterEach(() => ground.close())

const publicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOkBU3ydBHvR9CoLDurNuQ4ZLeb+BuOqZl9WjfaWQRS4 ada@laptop'
const draft = { name: 'my laptop', description: '', public_key: `  ${publicKey}\n` }

test('a key is its user’s in every project, and its name theirs alone', async () => {
  const made = await keys.create(ground.member, draft)
  expect(made).toEqual(SshKey.parse(made))
  expect(made).toMatchObject({
    ...{ name: 'my laptop', type: 'ed25519', public_key: publicKey, weak: false },
    ...{ user_id: 'u-demo', domain_id: 'default', project_id: null },
    fingerprint: 'SHA256:BN2XSKQzgAgLEVSs0B00VODE8WUFXSi6YBj29YJUmUE',
  })
  expect(await refusal(keys.create(ground.member, draft))).toMatchObject({
    ...{ code: 'duplicate_name', fields: { name: [expect.any(String)] } },
  })
  const other = await keys.create(ground.stranger, draft)
  expect(other.id).not.toBe(made.id)
  expect([...ground.index.keys()]).toEqual([`key/${made.id}`, `key/${other.id}`])
})

test('a key is deleted by its id or its name, by its user or an operator', async () => {
  const [mine, theirs] = [await keys.create(ground.member, draft), await keys.create(ground.stranger, draft)]
  expect(await refusal(keys.delete(ground.stranger, mine.id))).toMatchObject({ code: 'not_found' })
  await keys.delete(ground.member, 'my laptop')
  await keys.delete(ground.operator, theirs.id)
  expect([nova.keys.size, ground.index.size]).toEqual([0, 0])
  expect(await refusal(keys.delete(ground.member, mine.id))).toMatchObject({ code: 'not_found' })
})

test('what is no public key, or has a name that the cloud does not take, is refused at its field', async () => {
  const broken = keys.create(ground.member, { ...draft, public_key: 'ssh-ed25519 AAAA' })
  expect(await refusal(broken)).toMatchObject({ fields: { public_key: [expect.any(String)] } })
  ground.cloud.microversions.compute = '2.90'
  ground.cloud.on('compute', 'POST', '/os-keypairs', () =>
    serverRefusal(400, 'badRequest', 'Keypair data is invalid: Keypair name contains unsafe characters'),
  )
  expect(await refusal(keys.create(ground.member, { ...draft, name: 'a.b' }))).toMatchObject({
    fields: { name: [expect.any(String)] },
  })
})

test('keys of all users are read; certificates are none', async () => {
  await keys.create(ground.member, draft)
  await keys.create(ground.stranger, draft)
  const certificate = { name: 'x509', public_key: '-----BEGIN CERTIFICATE-----', user_id: 'u-demo' }
  nova.keys.set('u-demo/x509', { ...certificate, created_at: '2026-11-21T20:00:00.000000' })
  const rows: SshKey[] = []
  for await (const page of sshKeyReader.all(ground.engine.reading)) rows.push(...page)
  expect(rows.map(({ id }) => id)).toEqual(['u-demo~my laptop', 'u-other~my laptop'])
  const ids = [rows[0]!.id, 'u-demo~x509', 'u-gone~x', 'no id']
  expect([...(await sshKeyReader.some(ground.engine.reading, ids)).values()]).toEqual([rows[0], null, null, null])
})
