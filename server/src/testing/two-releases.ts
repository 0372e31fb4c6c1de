import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { sshKeys } from '@mainstay/contract/compute/ssh-keys'
import { GiB } from '@mainstay/contract/core/bytes'
import { volumes } from '@mainstay/contract/storage/volumes'
import { serveDirectory, someDirectory } from '@mainstay/engines/openstack/testing/fake-cloud/directory'
import { startFakeCloud } from '@mainstay/engines/openstack/testing/fake-cloud/cloud'
import { fakeServices } from '@mainstay/engines/openstack/testing/fake-cloud/services'
import type { FakeVolumes } from '@mainstay/engines/openstack/testing/fake-cloud/volumes'
import { startEmbeddedPostgres } from '../store/embedded-postgres'
import { signIn, type ApiClient } from './api-client'
import { all, settled } from './crash/crash-checks'
import { urlOf } from './postgres/postgres'
import { silentLogger } from './silent-logger'
import { removeData, startProgram, type ServerProgram } from './server-program'

/*
 * Program that runs an older and a newer release of the server on one database and one fake cloud, while users work on
 * both. Then the newer release is removed and added again. Exits with code 1 if a write was refused, a row was lost or a
 * task got stuck. `npm run test:versions` provides both folders.
 */

const USERS_OF_EACH = 3
const PATIENCE_MS = 60_000

interface User {
  name: string
  /** Names of existing volumes and keys, by ID. */
  volumes: Map<string, string>
  keys: Map<string, string>
  writes: number
}
const say = (text: string) => process.stdout.write(`${text}\n`)

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await pause(100)) if (await isSo()) return
  throw new Error(`stuck: ${what}`)
}

/** Creates, changes and deletes objects on one server, and checks each change on the other server. */
async function use(user: User, own: ApiClient, other: ApiClient, end: number): Promise<void> {
  const wrote = async <Reply>(reply: Promise<Reply>): Promise<Reply> => {
    const answer = await reply
    user.writes++
    return answer
  }
  const at = (api: ApiClient, id: string, is: (row: { status: string; name: string; size: number }) => boolean) =>
    until(`volume ${id} of ${user.name}`, async () => is(await api.call(volumes.view, { params: { id } })))
  for (let round = 0; Date.now() < end; round++) {
    const name = `${user.name}-${round}-${Date.now().toString(36)}`
    const { id } = await wrote(own.call(volumes.create, { body: { name, size: GiB } }))
    user.volumes.set(id, name)
    await at(other, id, ({ status }) => status === 'available')
    await wrote(other.call(volumes.update, { params: { id }, body: { name: `${name}-renamed` } }))
    user.volumes.set(id, `${name}-renamed`)
    await at(own, id, (row) => row.name === `${name}-renamed`)
    await wrote(own.call(volumes.extend, { params: { id }, body: { size: 2 * GiB } }))
    await at(other, id, ({ status, size }) => status === 'available' && size === 2 * GiB)
    const key = await wrote(own.call(sshKeys.generate, { body: { name, type: 'ed25519' } }))
    user.keys.set(key.id, name)
    if (round % 2 === 0) continue
    await wrote(other.call(volumes.delete, { params: { id } }))
    user.volumes.delete(id)
    await wrote(other.call(sshKeys.delete, { params: { id: key.id } }))
    user.keys.delete(key.id)
  }
}

/** Lists differences from the state that the users left, and, for volumes, between server and cloud. */
async function lost(api: ApiClient, users: readonly User[], cloud: FakeVolumes): Promise<string[]> {
  const compare = (
    what: string,
    there: readonly { id: string; name: string }[],
    kept: 'volumes' | 'keys',
  ): string[] => {
    const expected = new Map(users.flatMap((user) => [...user[kept]]))
    const found = new Map(there.map(({ id, name }) => [id, name]))
    return [...new Set([...expected.keys(), ...found.keys()])]
      .filter((id) => expected.get(id) !== found.get(id))
      .map((id) => `${what} ${id} is ${found.get(id) ?? 'not there'} in place of ${expected.get(id) ?? 'nothing'}`)
  }
  return [
    ...compare('volume', await all(api, volumes.list), 'volumes').map((fault) => {
      const there = [...cloud.volumes.values()].find(({ id }) => fault.includes(id))
      return `${fault}; in the cloud it is ${there ? `${there.name}, ${there.status}` : 'not there'}`
    }),
    ...compare('key', await all(api, sshKeys.list), 'keys'),
  ]
}

async function run(): Promise<string[]> {
  const { values } = parseArgs({
    options: { older: { type: 'string' }, newer: { type: 'string' }, seconds: { type: 'string', default: '60' } },
  })
  const folder = await mkdtemp(path.join(tmpdir(), 'mainstay-releases-'))
  const directory = someDirectory()
  directory.roles.push('compute', 'service_account', 'project_admin')
  const cloud = await startFakeCloud(directory)
  serveDirectory(cloud, directory)
  const services = fakeServices(cloud)
  services.volumes.quotaGiB = 1_000_000
  const settling = setInterval(() => {
    for (const volume of services.volumes.volumes.values())
      if (volume.status !== 'available') volume['updated_at'] = new Date().toISOString().replace('Z', '000')
    services.volumes.settle()
  }, 300)
  const dataFolder = path.join(folder, 'database')
  await mkdir(dataFolder)
  const postgres = await startEmbeddedPostgres({ dataFolder, log: silentLogger })
  const running = new Set<ServerProgram>()
  const start = async (release: string, data: string): Promise<ServerProgram> => {
    const program = await startProgram({
      folder: path.join(folder, data),
      release,
      environment: {
        MAINSTAY_ENGINE: 'openstack',
        DATABASE_URL: urlOf(postgres.connection),
        OS_AUTH_URL: cloud.authUrl,
        OS_USER_ID: 'u-service',
        OS_PASSWORD: 'service-secret',
        OS_PROJECT_ID: 'p-admin',
      },
    })
    running.add(program)
    return program
  }
  const stop = async (program: ServerProgram) => {
    running.delete(program)
    await program.stop()
  }
  const mary = { username: 'mary', password: 'pass-mary', domain: 'alpha', project: 'one' }
  const comeIn = ({ url }: ServerProgram) => signIn(url, mary)
  const users: User[] = []
  /** Lets users work on these servers for `seconds`, then checks everything on each server. */
  async function useThem(what: string, programs: readonly ServerProgram[], seconds: number): Promise<string[]> {
    const apis = await Promise.all(programs.map(comeIn))
    const end = Date.now() + seconds * 1000
    const faults: string[] = []
    const come = apis.flatMap((own, at) =>
      Array.from({ length: USERS_OF_EACH }, (_, index) => {
        const user: User = { name: `u${users.length + 1}-${index}`, volumes: new Map(), keys: new Map(), writes: 0 }
        users.push(user)
        return use(user, own, apis[(at + 1) % apis.length]!, end).catch(
          (error: unknown) =>
            void faults.push(`${user.name}: ${error instanceof Error ? error.message : String(error)}`),
        )
      }),
    )
    const before = users.reduce((sum, { writes }) => sum + writes, 0)
    await Promise.all(come)
    for (const api of apis) {
      await settled(api, PATIENCE_MS).catch((error: unknown) => void faults.push(String(error)))
      for (let wait = 0; wait < 100 && (await lost(api, users, services.volumes)).length > 0; wait++) await pause(100)
      faults.push(...(await lost(api, users, services.volumes)))
    }
    const writes = users.reduce((sum, user) => sum + user.writes, 0) - before
    const rows = users.reduce((sum, user) => sum + user.volumes.size + user.keys.size, 0)
    say(`${what}: ${writes} writes, ${rows} rows there, ${faults.length} faults`)
    return faults
  }

  try {
    const seconds = Number(values.seconds)
    const faults: string[] = []
    let older = await start(values.older!, 'older')
    faults.push(...(await useThem('the older release alone', [older], Math.min(seconds, 5))))
    const newer = await start(values.newer!, 'newer')
    faults.push(...(await useThem(`both releases for ${seconds} s`, [older, newer], seconds)))
    await stop(newer)
    await stop(older)
    older = await start(values.older!, 'older')
    faults.push(
      ...(await useThem('the older release, started again after the newer one', [older], Math.min(seconds, 5))),
    )
    const again = await start(values.newer!, 'newer')
    faults.push(...(await useThem('both again', [older, again], Math.min(seconds, 5))))
    return faults
  } finally {
    for (const program of running) await program.kill()
    clearInterval(settling)
    await postgres.stop()
    await cloud.close()
    await removeData(folder)
  }
}

void run()
  .catch((error: unknown) => [error instanceof Error ? error.message : String(error)])
  .then((faults) => {
    for (const fault of faults.slice(0, 20)) say(`  ${fault}`)
    process.exit(faults.length > 0 ? 1 : 0)
  })
