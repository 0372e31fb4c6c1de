import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { taskIsOver, tasks, type Task } from '@mainstay/contract/core/tasks'
import { disks } from '@mainstay/contract/infrastructure/disks'
import { impact } from '@mainstay/contract/infrastructure/impact'
import { nodeInterfaces } from '@mainstay/contract/infrastructure/interfaces'
import { locations } from '@mainstay/contract/infrastructure/locations'
import { nodeMaintenance } from '@mainstay/contract/infrastructure/node-maintenance'
import { nodeRegistration } from '@mainstay/contract/infrastructure/node-registration'
import { nodes, type Node } from '@mainstay/contract/infrastructure/nodes'
import { alerts } from '@mainstay/contract/monitoring/alerts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { signIn, type ApiClient } from '../../../testing/api-client'
import { lab } from '../../../testing/lab'
import { testDatabase } from '../../../testing/postgres/postgres'
import { ADMIN_PASSWORD, startProgram, type ServerProgram } from '../../../testing/server-program'
import { fingerprintOf } from './registration/register-job'

/*
 * Runs the whole program with its own certificate on real hosts, which are the nodes of the lab. Each test continues
 * where the previous one ended.
 */

const { nodes: hosts, address, power, shell, filesOf } = lab()
const [first, second, third] = hosts.map(({ name }) => name) as [string, string, string]
const patient = { timeout: 120_000, interval: 1_000 }
/** Maximum time until the loss or the return of a host is shown everywhere. */
const promised = { timeout: 150_000, interval: 1_000 }

let folder: string
let database: Awaited<ReturnType<typeof testDatabase>>
let program: ServerProgram
let api: ApiClient
const rackOf = new Map<string, string>()
/** The keys that each host accepted before it was registered. */
const keysBefore = new Map<string, string>()

const hostKeyFile = 'etc/ssh/ssh_host_ed25519_key'
const fileOf = (name: string, file: string) => path.join(filesOf(name), file)
const kept = new Map<string, Buffer>()
/** Files by which the platform identifies a host. */
const identity = [hostKeyFile, `${hostKeyFile}.pub`, 'etc/machine-id']

beforeAll(async () => {
  for (const file of identity) kept.set(file, readFileSync(fileOf(second, file)))
  folder = mkdtempSync(path.join(tmpdir(), 'mainstay-lab-spec-'))
  database = await testDatabase()
  // the certificate is self-signed, and only the fingerprint in the command makes it trustworthy
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
  program = await startProgram({
    folder,
    environment: {
      ...{ DATABASE_URL: database.url, MAINSTAY_HOST: address, MAINSTAY_TLS: 'self-signed' },
      // the command contains this port; no other program uses the address of the lab
      MAINSTAY_ADMIN_PORT: '18888',
    },
  })
  api = await signIn(program.adminUrl, { username: 'admin', password: ADMIN_PASSWORD })
})
afterAll(async () => {
  await program.stop()
  await database.drop()
  rmSync(folder, { recursive: true, force: true })
  await power('kill', second)
  for (const [file, bytes] of kept) writeFileSync(fileOf(second, file), bytes)
  for (const { name } of hosts) await power('start', name)
})

const view = (host: string): Promise<Node> => api.call(nodes.view, { params: { id: host } })
const over = async (id: string): Promise<Task> => {
  const read = () => api.call(tasks.view, { params: { id } })
  await expect.poll(async () => taskIsOver((await read()).state), patient).toBe(true)
  return read()
}
const keysOf = (name: string) => shell(name, 'cat ~/.ssh/authorized_keys')
/** Returns the open alerts about a host. */
const openAlerts = async (object_id: string) =>
  (await api.call(alerts.list, { query: { object_id, state: 'raised' } })).data
const diskStatesOf = async (host: string) => {
  const { data } = await api.call(disks.list, { params: { node_id: host } })
  return [...new Set(data.map(({ disk_status }) => disk_status))]
}

it('registers three hosts with the command that is run on them', async () => {
  for (const { name, hostKey, address: itsAddress } of hosts) {
    keysBefore.set(name, await keysOf(name))
    const { command } = await api.call(nodeRegistration.generateToken, { body: { ttl: 1 } })
    expect(command).toContain(`-k --pinnedpubkey 'sha256//`)
    expect(await shell(name, command!)).toContain('This host is being registered.')
    const { used } = await api.call(nodeRegistration.showToken, { body: {} })
    await expect.poll(async () => (await view(name).catch(() => null))?.os, patient).toMatch(/^Debian GNU\/Linux 12/)
    const node = await view(name)
    expect(node).toMatchObject({
      ...{ id: used!.node_id, host: name, status: 'unassigned', is_online: true, services: [] },
      link: {
        by: 'ssh',
        address: itsAddress,
        port: 22,
        host_key: fingerprintOf(hostKey),
        rights: 'root',
        problem: null,
      },
    })
    expect(await keysOf(name)).toMatch(/^restrict,command="cockpit-bridge" ssh-ed25519 \S+ mainstay$/m)
    // the command can be used only once
    await expect(shell(name, command!)).rejects.toThrow('The installation did not accept this host')
  }
}, 400_000)

it('shows the hardware of the hosts', async () => {
  for (const { name, address: itsAddress } of hosts) {
    const node = await view(name)
    expect(node.kernel).toBe((await shell(name, 'uname -r')).trim())
    expect(node.cpu!.threads).toBe(Number(await shell(name, 'nproc')))
    expect(node.ram!.total / 1024).toBe(Number(/MemTotal: +(\d+)/.exec(await shell(name, 'cat /proc/meminfo'))![1]))
    expect(node.ip_addrs).toContain(itsAddress)
    expect(Math.abs(node.clock_offset_ms!)).toBeLessThan(1_000)
    const { data: found } = await api.call(nodeInterfaces.list, { params: { node_id: name } })
    expect(found.map((one) => [one.name, one.state])).toEqual([
      ['eth0', 'up'],
      ['eth1', 'down'],
    ])
    const listed = (await shell(name, 'lsblk -dnbo NAME,SIZE,TYPE')).trim().split('\n')
    // disks in memory do not belong to a host
    const expected = listed.flatMap((line) => /^(?!z?ram)(\S+) +[1-9]\d* disk$/.exec(line)?.[1] ?? [])
    const { data } = await api.call(disks.list, { params: { node_id: name } })
    expect(data.map(({ device }) => device).toSorted()).toEqual(expected.toSorted())
  }
})

it('assigns the hosts to racks', async () => {
  const { locations: places } = await api.call(locations.tree)
  const row = places.find(({ domain }) => domain === 'row')!
  const racks = await api.call(locations.createRacks, { params: { id: row.id }, body: { names: ['A1', 'A2', 'A3'] } })
  for (const [at, { name }] of hosts.entries()) {
    const { id } = await view(name)
    await api.call(locations.assignNodes, { params: { id: racks[at]!.id }, body: { node_ids: [id] } })
    rackOf.set(name, racks[at]!.id)
  }
  const tree = await api.call(locations.tree)
  for (const [name, rackId] of rackOf) {
    expect(tree.nodes.find(({ host }) => host === name)).toMatchObject({ rackId, rowId: row.id })
    expect(tree.locations.find(({ id }) => id === rackId)).toMatchObject({ nodes_count: 1 })
  }
})

it('shows everywhere within 150 s that a host has failed, and within 150 s after its return that it works again', async () => {
  await power('kill', third)
  const lostAt = Date.now()
  await expect.poll(async () => (await view(third)).status, promised).toBe('offline')
  await expect.poll(() => openAlerts(third), promised).toMatchObject([{ type: 'node_down', severity: 'critical' }])
  expect(Date.now() - lostAt).toBeLessThan(promised.timeout)
  const lost = await view(third)
  expect(lost.link.problem).toMatch(/is not responding|in time/)
  expect(await diskStatesOf(third)).toEqual(['unavail'])
  const { data } = await api.call(nodes.list)
  expect(data.filter(({ status }) => status === 'offline').map(({ host }) => host)).toEqual([third])
  const tree = await api.call(locations.tree)
  expect(tree.nodes.find(({ host }) => host === third)).toMatchObject({ status: 'offline', rackId: rackOf.get(third) })
  for (const [kind, id] of [
    ['node', lost.id],
    ['rack', rackOf.get(third)!],
  ] as const) {
    const { rows } = await api.call(impact.view, { query: { kind, id } })
    const stays = { result: 'stays' }
    expect(rows).toMatchObject([{ kind, data: stays, machines: stays, management: stays, exports: stays }])
  }

  await power('start', third)
  const backAt = Date.now()
  await expect.poll(async () => (await view(third)).status, promised).toBe('unassigned')
  await expect.poll(() => openAlerts(third), promised).toEqual([])
  expect(Date.now() - backAt).toBeLessThan(promised.timeout)
  expect(await view(third)).toMatchObject({ id: lost.id, is_online: true, link: { problem: null }, services: [] })
  expect(await diskStatesOf(third)).toEqual(['ok'])
}, 400_000)

it('puts a host into maintenance and ends the maintenance', async () => {
  const params = { id: (await view(first)).id }
  const { suggested } = await api.call(nodeMaintenance.precheck, { params })
  const { task_id } = await api.call(nodeMaintenance.enter, { params, body: suggested })
  expect(await over(task_id)).toMatchObject({ state: 'success', error: null })
  expect(await view(first)).toMatchObject({ status: 'maintenance', maintenance: { state: 'suspended' }, tasks: [] })
  const exit = await api.call(nodeMaintenance.exit, { params, body: {} })
  expect(await over(exit.task_id)).toMatchObject({ state: 'success', error: null })
  expect(await view(first)).toMatchObject({ status: 'unassigned', maintenance: null, tasks: [] })
})

it('refuses a host that returns as another machine', async () => {
  await power('kill', second)
  writeFileSync(fileOf(second, 'etc/machine-id'), `${'f'.repeat(32)}\n`)
  await power('start', second)
  await expect
    .poll(() => view(second), promised)
    .toMatchObject({
      status: 'offline',
      link: { problem: expect.stringContaining('its machine ID does not match') as string },
    })
}, 200_000)

it('refuses a host that returns with another host key', async () => {
  await power('kill', second)
  writeFileSync(fileOf(second, 'etc/machine-id'), kept.get('etc/machine-id')!)
  const other = path.join(folder, 'other')
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', other])
  for (const end of ['', '.pub']) copyFileSync(`${other}${end}`, fileOf(second, `${hostKeyFile}${end}`))
  await power('start', second)
  const problem = expect.stringContaining('host key of') as string
  await expect.poll(() => view(second), promised).toMatchObject({ status: 'offline', link: { problem } })
}, 200_000)

it('deleting a node removes our key from its host, or returns the command that does [CA-203]', async () => {
  const remove = async (host: string) => {
    const { task_id } = await api.call(nodes.delete, { params: { id: (await view(host)).id } })
    return over(task_id)
  }
  expect(await remove(first)).toMatchObject({ state: 'success', result: { is_removed_from_host: true, command: null } })
  expect(await keysOf(first)).toBe(keysBefore.get(first))

  const { result } = await remove(second)
  const { command, is_removed_from_host } = result as { command: string; is_removed_from_host: boolean }
  expect(is_removed_from_host).toBe(false)
  expect(await keysOf(second)).not.toBe(keysBefore.get(second))
  await shell(second, command)
  expect(await keysOf(second)).toBe(keysBefore.get(second))
  const { data } = await api.call(nodes.list)
  expect(data.map(({ host }) => host)).not.toContain(first)
})
