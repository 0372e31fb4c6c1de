import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { images } from '@mainstay/contract/compute/images'
import { volumes } from '@mainstay/contract/storage/volumes'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { startEmbeddedPostgres } from '../../store/embedded-postgres'
import { apiClient, signIn, type ApiClient } from '../api-client'
import { lostChanges, missedChanges, halfMade, look, settled } from './crash-checks'
import { crashUser, emptyLedger, type Ledger } from './crash-users'
import { newDataFolder } from '../data-folder'
import { urlOf } from '../postgres/postgres'
import { silentLogger } from '../silent-logger'
import {
  ADMIN_PASSWORD,
  databaseProcess,
  removeData,
  startProgram,
  type ProgramOptions,
  type ServerProgram,
} from '../server-program'
import { socketMirror } from '../socket-mirror'
import { randomOf, rounds, tier } from '../../../../tools/lib/tier.mjs'

/*
 * The database fails in various ways while clients create, change and delete objects. The server keeps running, no
 * acknowledged change is lost, and clients are served again within 10 seconds, or within 30 seconds if other specs use
 * the CPU at the same time.
 */
const counts = {
  restarts: rounds({ gate: 2, all: 20, long: 40 }),
  connections: rounds({ gate: 2, all: 20, long: 40 }),
  kills: rounds({ gate: 1, all: 5, long: 10 }),
}
const CLIENTS = rounds({ gate: 6, all: 20, long: 20 })
const BACK_WITHIN_MS = tier === 'long' ? 10_000 : 30_000
const timeout = rounds({ gate: 90_000, all: 900_000, long: 1_800_000 })

const closers: (() => Promise<unknown> | void)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})
async function newFolder(): Promise<string> {
  const folder = await newDataFolder()
  closers.push(() => removeData(folder))
  return folder
}

interface Storm {
  program: ServerProgram
  ledger: Ledger
  /** Causes a disruption and waits until a request sent after it succeeds. */
  survive(disrupt: () => Promise<void>): Promise<void>
  /** Lets the clients finish, checks everything and prints the measurements. */
  end(what: string): Promise<void>
}

async function beginStorm(given: ProgramOptions): Promise<Storm> {
  const program = await startProgram(given)
  closers.push(() => program.kill())
  const administrator = await signIn(program.url, { username: 'admin', password: ADMIN_PASSWORD })
  const member = await signIn(program.url, { username: 'admin', password: ADMIN_PASSWORD, project: 'demo' })
  const mirror = socketMirror(administrator.token, 0)
  closers.push(() => mirror.close())
  await mirror.connect(program.url)
  const ledger = emptyLedger()
  let isEnough = false
  const acting = Promise.all(
    Array.from({ length: CLIENTS }, (_, at) =>
      crashUser(ledger, `u${at + 1}`, randomOf(1000 + at), { kinds: ['volume', 'server', 'volume', 'image'] }).act(
        apiClient(program.url, member.token),
        () => isEnough,
      ),
    ),
  )
  // clients stop early only if the server is gone
  let isOver = false
  void acting.then(() => (isOver = true))
  const outages: number[] = []

  return {
    program,
    ledger,
    async survive(disrupt) {
      const before = ledger.answered
      while (ledger.answered < before + CLIENTS && !isOver) await pause(5)
      const began = performance.now()
      await disrupt()
      while (!(await isServed(member)) && performance.now() - began < 3 * BACK_WITHIN_MS) await pause(20)
      outages.push((performance.now() - began) / 1000)
      expect(isOver, `the server is gone:\n${program.said().slice(-3000)}`).toBe(false)
      expect(outages.at(-1)! * 1000).toBeLessThan(BACK_WITHIN_MS)
    },
    async end(what) {
      isEnough = true
      await acting
      await uploadsTakenBack(administrator)
      await settled(administrator, 60_000)
      const seen = await look(administrator)
      const faults = [
        ...lostChanges(ledger, seen),
        ...(await halfMade(administrator, given.folder, seen)),
        ...(await missedChanges(mirror, seen, 20_000)),
      ]
      const median = outages.toSorted((one, other) => one - other)[Math.floor(outages.length / 2)]!
      process.stdout.write(
        `${what}, ${CLIENTS} clients: ${ledger.answered} calls answered, ${ledger.withoutDatabase} told that there is no ` +
          `database, ${faults.length} promises broken, back after ${median.toFixed(1)} s, ${Math.max(...outages).toFixed(1)} s at most\n`,
      )
      expect(faults, `the server said:\n${program.said().slice(-3000)}`).toEqual([])
      await program.stop()
    },
  }
}

/** An interrupted upload must be cleaned up automatically once the database is back. */
async function uploadsTakenBack(api: ApiClient): Promise<void> {
  const late = performance.now() + 20_000
  while (performance.now() < late) {
    const { data } = await api.call(images.list, { query: { status: 'uploading', limit: 1 } })
    if (data.length === 0) return
    await pause(100)
  }
}

const isServed = (api: ApiClient): Promise<boolean> =>
  api.call(volumes.list, { query: { limit: 1 } }).then(
    () => true,
    () => false,
  )

/**
 * A separate PostgreSQL for `DATABASE_URL`, as operators would run it: it restarts automatically, however it was
 * stopped.
 */
async function ownPostgres() {
  const dataFolder = await newFolder()
  const postgres = await startEmbeddedPostgres({ dataFolder, log: silentLogger })
  closers.push(() => postgres.stop())
  return { dataFolder, url: urlOf(postgres.connection), connection: postgres.connection }
}

async function endPostgres(dataFolder: string, signal: NodeJS.Signals): Promise<void> {
  const ended = (await databaseProcess(dataFolder))!
  process.kill(ended, signal)
  const late = performance.now() + 3 * BACK_WITHIN_MS
  for (;;) {
    const now = await databaseProcess(dataFolder)
    if (now !== null && now !== ended) return
    if (performance.now() > late) throw new Error('PostgreSQL does not come back')
    await pause(20)
  }
}

const states = {
  idle: "state = 'idle' and query not like 'listen%'",
  active: "state = 'active'",
  'idle in transaction': "state = 'idle in transaction'",
  listening: "query like 'listen%' or query = 'select 1'",
} as const

/** Terminates one connection in this state, as soon as there is one. */
async function endOne(client: pg.Client, state: keyof typeof states): Promise<void> {
  const late = performance.now() + 20_000
  for (;;) {
    const { rowCount } = await client.query(
      `select pg_terminate_backend(pid) from (
         select pid from pg_stat_activity
         where backend_type = 'client backend' and pid <> pg_backend_pid() and (${states[state]}) limit 1) one`,
    )
    if (rowCount === 1) return
    if (performance.now() > late) throw new Error(`no connection was ${state} for 20 s`)
    await pause(1)
  }
}

test(
  'survives restarts of PostgreSQL and terminated connections in every state without losing data',
  async () => {
    const postgres = await ownPostgres()
    const { survive, end } = await beginStorm({
      folder: await newFolder(),
      environment: { DATABASE_URL: postgres.url },
    })
    for (let at = 0; at < counts.restarts; at++)
      await survive(() => endPostgres(postgres.dataFolder, at % 2 === 0 ? 'SIGINT' : 'SIGQUIT'))
    const client = new pg.Client(postgres.connection)
    await client.connect()
    const kinds = Object.keys(states) as (keyof typeof states)[]
    for (let at = 0; at < counts.connections; at++) await survive(() => endOne(client, kinds[at % kinds.length]!))
    await client.end()
    const half = counts.restarts / 2
    await end(`${half} fast and ${half} immediate restarts, ${counts.connections} ended connections`)
  },
  timeout,
)

test(
  'recovers within seconds when the embedded PostgreSQL is killed, without losing data',
  async () => {
    const folder = await newFolder()
    const { survive, end } = await beginStorm({ folder })
    for (let at = 0; at < counts.kills; at++) await survive(() => endPostgres(folder, 'SIGKILL'))
    await end(`${counts.kills} kills of the embedded PostgreSQL`)
  },
  timeout,
)
