import { SshKey, sshKeys } from '@mainstay/contract/compute/ssh-keys'
import { page } from '@mainstay/contract/core/lists/paging'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../testing/start-server'
import { makeKeyPair } from './ssh-key-pair.service'

let server: TestServer
const as = 'project-member'
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const add = async (name: string, public_key?: string) =>
  server.call(sshKeys.create, {
    as,
    body: { name, public_key: public_key ?? (await makeKeyPair('ed25519', 'laptop')).publicKey },
  })

it('imports, returns, lists and deletes a public key with its type and fingerprint [EN-028]', async () => {
  const { publicKey } = await makeKeyPair('ecdsa', 'work')
  const response = await server.fetch(sshKeys.create, {
    as,
    body: { name: 'work', description: 'on the desk', public_key: publicKey },
  })
  expect(response.status).toBe(201)
  const key = SshKey.parse(await response.json())
  expect(key).toMatchObject({
    name: 'work',
    description: 'on the desk',
    type: 'ecdsa',
    weak: false,
    fingerprint: expect.stringMatching(/^SHA256:[A-Za-z0-9+/]{43}$/),
    project_id: server.cast.projects['alpha-one']!.id,
    user_id: server.cast.people[as].user.id,
  })
  expect(await server.call(sshKeys.view, { as, params: { id: key.id } })).toEqual(key)
  const list = await server.call(sshKeys.list, { as, query: { with_count: true } })
  expect(page(SshKey).parse(list)).toMatchObject({ count: 1, data: [key] })
  expect((await server.fetch(sshKeys.delete, { as, params: { id: key.id } })).status).toBe(204)
  expect((await server.fetch(sshKeys.view, { as, params: { id: key.id } })).status).toBe(404)
})

it(
  'limits the number of RSA keys that a user can generate per minute and returns a retry time',
  { tags: 'all' },
  async () => {
    const generate = (at: number, type: 'ssh-rsa' | 'ed25519') =>
      server.fetch(sshKeys.generate, { as: 'project-admin', body: { name: `many ${type} ${at}`, type } })
    const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => generate(at, 'ssh-rsa')))
    const refused = answers.filter(({ status }) => status === 429)
    // a request can also be refused because it waited too long in the queue
    expect(refused.length).toBeGreaterThanOrEqual(3)
    for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.length + answers.filter(({ status }) => status === 201).length).toBe(8)
    expect((await generate(0, 'ed25519')).status).toBe(201)
  },
)

it('returns the private key only once, when it is generated', async () => {
  const made = await server.call(sshKeys.generate, { as, body: { name: 'generated', type: 'ssh-rsa' } })
  expect([made.type, made.private_key.split('\n')[0]]).toEqual(['ssh-rsa', '-----BEGIN OPENSSH PRIVATE KEY-----'])
  expect(await server.call(sshKeys.view, { as, params: { id: made.id } })).not.toHaveProperty('private_key')
})

it('requires unique key names per user', async () => {
  await add('mine')
  await expect(add('mine')).rejects.toMatchObject({ status: 409, fields: { name: expect.any(Array) } })
  const { publicKey } = await makeKeyPair('ed25519', 'theirs')
  const theirs = await server.call(sshKeys.create, {
    as: 'project-admin',
    body: { name: 'mine', public_key: publicKey },
  })
  expect(theirs.name).toBe('mine')
})

it('accepts exactly four key types [VA-047]', async () => {
  const field = (bytes: Buffer | string): Buffer => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    return Buffer.concat([length, Buffer.from(bytes as string)])
  }
  const line = (algorithm: string, ...fields: Buffer[]) =>
    `${algorithm} ${Buffer.concat([algorithm, ...fields].map(field)).toString('base64')}`
  const made = (type: 'ssh-rsa' | 'ecdsa' | 'ed25519') => makeKeyPair(type, 'x').then(({ publicKey }) => publicKey)
  const number = Buffer.alloc(128, 1)
  for (const [type, text] of [
    ['ssh-rsa', await made('ssh-rsa')],
    ['ecdsa', await made('ecdsa')],
    ['ed25519', await made('ed25519')],
    ['dss', line('ssh-dss', number, number, number, number)],
  ] as const)
    expect(await add(`of type ${type}`, text)).toMatchObject({ type })
  for (const algorithm of ['ssh-ed448', 'ssh-xmss@openssh.com', 'x509v3-ssh-rsa'])
    await expect(add(algorithm, line(algorithm, number))).rejects.toMatchObject({
      status: 400,
      fields: { public_key: ['The key type must be ssh-rsa, ecdsa, ed25519 or dss'] },
    })
})

it.each([
  ['text that is not a key', 'hello'],
  ['a private key', '-----BEGIN OPENSSH PRIVATE KEY-----'],
  ['an unknown type', 'ssh-foo AAAAC3NzaC1lZDI1NTE5AAAAIIzLr3VPvYJ2yYXwKxH2wJ3yXn6m3C9p9Yf3b3vK0u6T x'],
  ['truncated data', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAII x'],
])('refuses %s with an error on the field', async (_, text) => {
  await expect(add('bad', text)).rejects.toMatchObject({ status: 400, fields: { public_key: expect.any(Array) } })
})

it.each([[''], ['a/b'], ['a'.repeat(256)]])('refuses the name “%.10s” with an error on the field', async (name) => {
  await expect(add(name)).rejects.toMatchObject({ status: 400, fields: { name: expect.any(Array) } })
})
