import { createServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { taskIsOver, tasks, type Task } from '@mainstay/contract/core/tasks'
import { disks } from '@mainstay/contract/infrastructure/disks'
import { nodeRegistration } from '@mainstay/contract/infrastructure/node-registration'
import { nodes } from '@mainstay/contract/infrastructure/nodes'
import { thisNodeId } from '@mainstay/engines/ports/named-id'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fakeHosts, HOST_KEY, hostFacts, machineIdOf } from '../../../../testing/fake-hosts'
import { startServer, type TestServer } from '../../../../testing/start-server'

let server: TestServer
let sshd: Server
const hosts = fakeHosts()
const as = 'superuser'
const address = '127.0.0.1'

beforeAll(async () => {
  sshd = createServer((socket) => socket.end()).listen(0, address)
  server = await startServer({ hosts, pace: 10 })
  hosts.add('local', hostFacts('here'))
})
afterAll(async () => {
  sshd.close()
  await server.close()
})

const reportOf = (token: string, hostname: string, more: object = {}) => ({
  ...{ token, hostname, machine_id: machineIdOf(hostname), address, port: (sshd.address() as AddressInfo).port },
  ...{ user: 'root', host_key: HOST_KEY, ...more },
})
const newToken = async (ttl = 24) => (await server.call(nodeRegistration.generateToken, { as, body: { ttl } })).token!
const register = (token: string, hostname: string, more: object = {}) =>
  server.call(nodeRegistration.register, { body: reportOf(token, hostname, more) })
const over = async (id: string): Promise<Task> => {
  await expect
    .poll(async () => taskIsOver((await server.call(tasks.view, { as, params: { id } })).state), patient)
    .toBe(true)
  return server.call(tasks.view, { as, params: { id } })
}
const patient = { timeout: 60_000, interval: 200 }
const refused = { code: 'registration_token_invalid' }

it('a token is shown with its command until it is used, and is valid once', async () => {
  const made = await server.call(nodeRegistration.generateToken, { as, body: { ttl: 1 } })
  expect(Date.parse(made.expires_at!) - Date.now()).toBeGreaterThan(3590_000)
  expect(made.command).toContain(`sudo sh -s -- 'http`)
  expect(made.warning).toMatchObject({ message: expect.stringContaining('MAINSTAY_TLS') as string })
  expect(await server.call(nodeRegistration.showToken, { as })).toEqual(made)

  const host = hosts.add(address, hostFacts('node-1'))
  const { node_id, task_id } = await register(made.token!, 'node-1')
  const task = await over(task_id)
  expect(task.error).toBe(null)
  expect(task.steps!.map(({ name, state }) => [name, state])).toEqual(
    ['reach', 'compare_key', 'read_facts', 'add'].map((name) => [name, 'done']),
  )
  const link = { by: 'ssh', address, host_key: expect.stringMatching(/^SHA256:/) }
  const view = () => server.call(nodes.view, { as, params: { id: node_id } })
  await expect.poll(async () => (await view()).os, patient).toBe(host.facts.os)
  expect(await view()).toMatchObject({ host: 'node-1', status: 'unassigned', link, activity: null })
  // the ID of the parent in a path can be a host name
  expect((await server.call(disks.list, { as, params: { node_id: 'node-1' } })).data).toHaveLength(2)

  const shown = await server.call(nodeRegistration.showToken, { as })
  expect(shown).toMatchObject({ token: null, command: null, used: { node_id } })
  await expect(register(made.token!, 'node-2')).rejects.toMatchObject(refused)
  await expect(register(await newToken(), 'node-1')).rejects.toMatchObject({ code: 'conflict' })
}, 120_000)

it('a host cannot replace a node that is registered or is the host of the server', async () => {
  const here = await server.call(nodes.view, { as, params: { id: thisNodeId } })
  const token = await newToken()
  const asHere = register(token, here.host, { machine_id: 'e'.repeat(32) })
  await expect(asHere).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining(here.host) as string,
  })
  const asOther = register(token, 'node-1', { machine_id: 'e'.repeat(32) })
  await expect(asOther).rejects.toMatchObject({ code: 'conflict' })
  // wait until the watcher has read this host; repeated registrations would exceed the rate limit
  const read = () =>
    server.sql.query('select from private_record where data::text like $1', [`%${machineIdOf('here')}%`])
  await expect.poll(read, patient).toHaveLength(1)
  const asAlias = register(token, 'alias', { machine_id: machineIdOf('here') })
  await expect(asAlias).rejects.toThrow('already registered')
  expect(await server.call(nodes.view, { as, params: { id: thisNodeId } })).toMatchObject({ link: { by: 'local' } })
  // refused calls do not use up the token and do not fill the audit log
  expect((await server.call(nodeRegistration.showToken, { as })).token).toBe(token)
  const refusals = await server.sql.query(`select from audit where action like '%register%' and result <> 'success'`)
  expect(refusals).toHaveLength(0)
})

it('a host that a cloud reports keeps the ID of the cloud from the beginning', async () => {
  const compute = { id: 'cloud-7', host: 'node-7', host_ip: null, state: 'up', traits: [], hypervisor: {} }
  await server.tools.inventory.transaction((tx) => tx.put('compute_node', compute))
  hosts.add(address, hostFacts('node-7'))
  const { node_id, task_id } = await register(await newToken(), 'node-7')
  expect(node_id).toBe('cloud-7')
  expect((await over(task_id)).error).toBe(null)
  expect(await server.call(nodes.view, { as, params: { id: 'node-7' } })).toMatchObject({
    ...{ id: 'cloud-7', link: { by: 'ssh' } },
  })
  await server.tools.inventory.transaction(async (tx) => {
    for (const kind of ['node', 'compute_node']) await tx.remove(kind, 'cloud-7')
    await tx.removePrivate('node', 'cloud-7')
  })
}, 120_000)

it('a new token replaces the earlier one, and an expired or invented token is refused', async () => {
  const [first, second] = [await newToken(), await newToken()]
  await expect(register(first, 'node-3')).rejects.toMatchObject(refused)
  await expect(register('reg-invented', 'node-3')).rejects.toMatchObject(refused)
  await server.sql.query(
    `update setting set value = jsonb_set(value::jsonb, '{expires_at}', '"2020-01-01T00:00:00Z"') where name = 'node_registration'`,
  )
  await expect(register(second, 'node-3')).rejects.toMatchObject(refused)
  expect(await server.call(nodeRegistration.showToken, { as })).toMatchObject({ token: null })
  const kept = await server.sql.query<{ text: string }>('select value::text as text from setting')
  expect(kept.some(({ text }) => text.includes(second) || text.includes('PRIVATE KEY'))).toBe(false)
})

it('names the invalid field of a report, and requires permission to create tokens', async () => {
  for (const [field, value] of [
    ['hostname', 'a b'],
    ['machine_id', 'short'],
    ['address', 'not an address'],
    ['host_key', '-----BEGIN'],
    ['user', 'Root;'],
  ] as const)
    await expect(register('reg-x', 'node-4', { [field]: value }), field).rejects.toMatchObject({
      fields: { [field]: expect.any(Array) as string[] },
    })
  for (const ttl of [0, 169])
    await expect(server.call(nodeRegistration.generateToken, { as, body: { ttl } })).rejects.toMatchObject({
      fields: { ttl: ['Enter a number from 1 to 168'] },
    })
  for (const who of ['viewer', 'project-member'] as const)
    for (const call of [nodeRegistration.showToken, nodeRegistration.generateToken])
      expect((await server.fetch(call, { as: who, body: {} as never })).status).toBe(403)
})

it('a host with another host key or machine ID than it reported is not added', async () => {
  const host = hosts.add(address, hostFacts('node-5'))
  host.hostKey = 'ssh-ed25519 AAAAother'
  const changed = await over((await register(await newToken(), 'node-5')).task_id)
  expect(changed).toMatchObject({ state: 'failed', error: expect.stringMatching(/host key.*sed -i/s) as string })
  Object.assign(host, { hostKey: HOST_KEY, facts: hostFacts('another') })
  const another = await over((await register(await newToken(), 'node-5')).task_id)
  expect(another).toMatchObject({
    state: 'failed',
    error: expect.stringContaining('its machine ID does not match') as string,
  })
  const all = await server.call(nodes.list, { as })
  expect(all.data.map((node) => node.host)).not.toContain('node-5')
}, 120_000)

it('a host that was reinstalled becomes its existing node again [CA-201]', async () => {
  const host = hosts.add(address, hostFacts('node-1'))
  const before = await server.call(nodes.view, { as, params: { id: 'node-1' } })
  const params = { id: before.id }
  const { command } = await server.call(nodes.reinstall, { as, params })
  const token = /'(reg-[\w-]+)'$/.exec(command)![1]!
  host.facts = hostFacts('node-1', { machine_id: 'c'.repeat(32) })
  const { node_id, task_id } = await register(token, 'node-1', { machine_id: 'c'.repeat(32) })
  expect(node_id).toBe(before.id)
  expect((await over(task_id)).error).toBe(null)
  expect(await server.call(nodes.view, { as, params })).toMatchObject({ activity: null, created_at: before.created_at })
  await expect(register(token, 'node-1', { machine_id: 'd'.repeat(32) })).rejects.toMatchObject(refused)
}, 120_000)

it('deleting a node removes our key from its host, or returns the command that does [CA-203]', async () => {
  const host = hosts.add(address, hostFacts('node-1', { machine_id: 'c'.repeat(32) }))
  const remove = async () => over((await server.call(nodes.delete, { as, params: { id: 'node-1' } })).task_id)
  expect(await remove()).toMatchObject({ state: 'success', result: { is_removed_from_host: true, command: null } })
  expect(host.ran.at(-1)?.join(' ')).toMatch(/^sh -c sed -i '\\,[\w+/]+,d' "\$HOME\/\.ssh\/authorized_keys"$/)
  await expect(server.call(nodes.view, { as, params: { id: 'node-1' } })).rejects.toMatchObject({ code: 'not_found' })
  const left = await server.sql.query(`select from private_record where kind = 'node' and data::text like '%cccccc%'`)
  expect(left).toHaveLength(0)

  await over((await register(await newToken(), 'node-1', { machine_id: 'c'.repeat(32) })).task_id)
  host.state = 'down'
  const { result } = await remove()
  expect(result).toEqual({ is_removed_from_host: false, command: expect.stringMatching(/^sudo -u root sh -c /) })
}, 120_000)

it('the script accepts our key for the bridge only, and its downloads are limited per address', async () => {
  const script = await (await server.fetch(nodeRegistration.script)).text()
  expect(script).toMatch(/^#!\/bin\/sh\n/)
  expect(script).toContain('restrict,command=\\"cockpit-bridge\\" $key')
  expect(script).toMatch(/^key='ssh-ed25519 [\w+/=]+ mainstay'$/m)
  const answers = await Promise.all(Array.from({ length: 80 }, () => server.fetch(nodeRegistration.script)))
  expect(answers.some(({ status }) => status === 429)).toBe(true)
})
