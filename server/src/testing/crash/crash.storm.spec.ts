import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { instances, type Instance } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, type TestContext } from 'vitest'
import { lacks, needs } from '../../../../tools/lib/vitest/host-features'
import { apiClient, signIn, type ApiClient } from '../api-client'
import { lostChanges, missedChanges, halfMade, look, settled } from './crash-checks'
import { crashUser, emptyLedger, itemOf, type Item, type Ledger, type Random } from './crash-users'
import { newDataFolder } from '../data-folder'
import {
  ADMIN_PASSWORD,
  killDatabase,
  machineProcesses,
  removeData,
  spawnProgram,
  startProgram,
  type ProgramOptions,
  type ServerProgram,
} from '../server-program'
import { socketMirror } from '../socket-mirror'
import { randomOf, rounds, seedOr } from '../../../../tools/lib/tier.mjs'

/* Kills the server at random but reproducible times while users create, change and delete objects. */
const kills = rounds({ gate: 1, all: 10, long: 200 })
const seed = seedOr(1)
const timeout = 120_000 + kills * 90_000

const administrator = { username: 'admin', password: ADMIN_PASSWORD }
const between = (random: Random, from: number, to: number) => from + random() * (to - from)

interface Storm extends Omit<ProgramOptions, 'folder'> {
  rounds: number
  users: number
  kinds: Item['kind'][]
  /** Number of socket clients, which all reconnect at once after each kill. */
  browsers: number
  /** Actions to leave out. */
  without?: string[]
  /** Maximum number of responses before the server is killed. */
  answers: number
  /** Creates objects that no user changes. Returns a function that checks them after each kill. */
  prepare?: (asMember: ApiClient, folder: string, ledger: Ledger) => Promise<() => Promise<string[]>>
}

/** Waits for this many more responses, and then for a short random time. */
async function untilAnswered(ledger: Ledger, more: number, random: Random): Promise<void> {
  const end = ledger.answered + more
  const late = Date.now() + 8_000
  while (ledger.answered < end && Date.now() < late) await pause(2)
  await pause(between(random, 0, 200))
}

/** Kills, restarts and checks the server in each round. */
async function storm(wanted: Storm, context: TestContext): Promise<Ledger> {
  const given = { ...wanted, folder: await newDataFolder() }
  context.onTestFinished(() => removeData(given.folder))
  const random = randomOf(seed)
  const ledger = emptyLedger()
  let program = await startProgram(given)
  context.onTestFinished(() => program.kill())
  // sessions also survive, so the tokens are not renewed
  const administratorToken = (await signIn(program.url, administrator)).token
  const memberToken = (await signIn(program.url, { ...administrator, project: 'demo' })).token
  // every other browser belongs to a tenant and receives changes to one project
  const browsers = Array.from({ length: given.browsers }, (_, at) => {
    const token = at % 2 === 0 ? administratorToken : memberToken
    return { token, mirror: socketMirror(token, 0) }
  })
  context.onTestFinished(() => browsers.forEach(({ mirror }) => mirror.close()))
  const connectAll = () => Promise.all(browsers.map(({ mirror }) => mirror.connect(program.url)))
  await connectAll()
  const lookFurther = await given.prepare?.(apiClient(program.url, memberToken), given.folder, ledger)
  const users = Array.from({ length: given.users }, (_, at) =>
    crashUser(ledger, `u${at + 1}`, randomOf(seed * 1000 + at), given),
  )
  for (let round = 1; round <= given.rounds; round++) {
    const acting = Promise.all(users.map((user) => user.act(apiClient(program.url, memberToken))))
    await untilAnswered(ledger, between(random, 1, given.answers), random)
    await program.kill()
    await acting
    // sometimes the power also fails, or the server is killed again during recovery
    if (random() < 0.35) await killDatabase(given.folder)
    if (random() < 0.35) {
      const short = spawnProgram(given)
      await pause(between(random, 300, 2500))
      short.child.kill('SIGKILL')
      await short.ended
    }
    program = await startProgram(given)
    await connectAll()
    const api = apiClient(program.url, administratorToken)
    await settled(api)
    const seen = await look(api)
    const seenBy = new Map([
      [administratorToken, seen],
      [memberToken, await look(apiClient(program.url, memberToken))],
    ])
    const deaf = await Promise.all(
      browsers.map(({ token, mirror }) => missedChanges(mirror, seenBy.get(token)!, 20_000)),
    )
    const faults = [
      ...lostChanges(ledger, seen),
      ...(await halfMade(api, given.folder, seen)),
      ...deaf.flat(),
      ...((await lookFurther?.()) ?? []),
    ]
    expect(faults, `round ${round} of seed ${seed}; the server said:\n${program.said().slice(-3000)}`).toEqual([])
  }
  await program.stop()
  return ledger
}

/** Creates a virtual machine with an empty disk, which runs only its firmware. */
async function emptyMachine(api: ApiClient, name: string): Promise<Instance> {
  const made = await api.call(instances.create, {
    body: {
      name,
      flavor: 's1.nano',
      volumes: [{ source: 'blank', size: GiB, boot_index: 0 }],
      networks: [],
    },
  })
  await settled(api)
  const row = await api.call(instances.view, { params: { id: made.id } })
  if (row.status !== 'ACTIVE') throw new Error(`${name} is ${row.status}: ${row.fault?.message}`)
  return row
}

// storms run concurrently, because a storm mostly waits for recovery
describe.concurrent('a server that is killed at any moment', () => {
  test(
    'loses nothing that it acknowledged, leaves nothing half-done, and misses no change on fifty sockets',
    { timeout },
    async (context) => {
      const ledger = await storm(
        { rounds: kills, users: 5, kinds: ['volume', 'server', 'server', 'image'], browsers: 50, answers: 60 },
        context,
      )
      // a storm with too little activity would prove nothing
      expect(ledger.answered).toBeGreaterThan(5 * kills)
    },
  )

  test(
    'loses no QEMU virtual machines, and keeps them running',
    { tags: 'all', timeout, ...needs('QEMU') },
    async (context) => {
      await storm(
        {
          hypervisor: 'qemu',
          rounds: Math.ceil(kills / 3),
          users: 2,
          kinds: ['server', 'server', 'volume'],
          browsers: 2,
          // the guests have no operating system that would release a disk
          without: ['attach', 'detach'],
          answers: 14,
          async prepare(api, folder, ledger) {
            const rock = await emptyMachine(api, 'rock')
            ledger.items.set(rock.id, itemOf('server', rock, 'ACTIVE'))
            const pid = (await machineProcesses(folder)).get(rock.id)
            expect(pid).toBeGreaterThan(0)
            return async () => {
              const now = (await machineProcesses(folder)).get(rock.id)
              return now === pid ? [] : [`the machine that ran as process ${pid} now runs as ${now ?? 'none'}`]
            }
          },
        },
        context,
      )
    },
  )
})

describe('a running server', () => {
  let folder: string
  let program: ServerProgram
  let api: ApiClient
  beforeAll(async () => {
    folder = await newDataFolder()
    program = await startProgram({ folder, ...(lacks('QEMU') === null && { hypervisor: 'qemu' as const }) })
    api = await signIn(program.url, { ...administrator, project: 'demo' })
  })
  afterAll(async () => {
    await program.kill()
    await removeData(folder)
  })

  test('refuses a second server on its data folder and names its own process', { tags: 'all' }, async () => {
    const second = spawnProgram({ folder })
    expect(await second.ended).toEqual({ code: 1, signal: null })
    expect(second.said()).toContain(`Another server (process ${program.pid}) is using the folder ${folder}`)
    // the first server is not affected
    await emptyMachine(api, 'still-served')
  })

  test(
    'reports within two seconds, in the API and on sockets, that a virtual machine was killed externally',
    { ...needs('QEMU'), tags: 'all' },
    async () => {
      const { id } = await emptyMachine(api, 'victim')
      const mirror = socketMirror((await signIn(program.url, administrator)).token, null)
      onTestFinished(() => mirror.close())
      await mirror.connect(program.url)

      // measure how long a change currently takes, because the host may be busy
      const changedAt = performance.now()
      const renamed = mirror.heard((change) => change.id === id && change.entity?.['name'] === 'doomed', 30_000)
      await api.call(instances.update, { params: { id }, body: { name: 'doomed' } })
      await renamed
      const withinMs = 2_000 + 10 * (performance.now() - changedAt)

      const pid = (await machineProcesses(folder)).get(id)!
      const killedAt = performance.now()
      process.kill(pid, 'SIGKILL')
      const told = mirror.heard((change) => change.id === id && change.entity?.['status'] === 'ERROR', withinMs)
      let row: Instance
      do row = await api.call(instances.view, { params: { id } })
      while (row.status !== 'ERROR' && performance.now() - killedAt < withinMs)
      expect(row).toMatchObject({ status: 'ERROR', task_state: null })
      expect(row.fault?.message).toMatch(/stopped unexpectedly.*signal 9|SIGKILL/)
      expect((await told).entity).toMatchObject({ fault: { message: row.fault?.message } })
    },
  )
})
