import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { cloudAccess } from '@mainstay/engines/openstack/testing/cloud-access'
import {
  differences,
  imageFacts,
  serverFacts,
  truthOf,
  volumeFacts,
  type Facts,
} from '@mainstay/engines/openstack/testing/cloud-truth'
import { signInPlainly, type PlainClient } from '@mainstay/engines/openstack/testing/plain-client'
import { sweep } from '@mainstay/engines/openstack/testing/sweep'
import { prepareCloudFixture, type CloudFixture } from '@mainstay/engines/openstack/testing/cloud-fixture'
import { afterAll, expect, test } from 'vitest'
import { apiClient, signIn, type ApiClient } from '../api-client'
import { cloudEnvironment, openCloudServer } from '../cloud-server'
import { look, settled, type Seen } from './crash-checks'
import { crashUser, emptyLedger, type Ledger, type Random } from './crash-users'
import { randomOf } from '../../../../tools/lib/tier.mjs'
import { testDatabase, type TestDatabase } from '../postgres/postgres'
import { removeData, startProgram, type ServerProgram } from '../server-program'
import { differingRows, wholeRows } from '../whole-rows'

/*
 * Two servers on one database and one cloud, with users on both, are killed at random but reproducible times. For a
 * longer storm: `npm run test:openstack -- --storm 600`.
 */
const seconds = Number(process.env['MAINSTAY_STORM_SECONDS'] ?? 90)
const seed = Number(process.env['MAINSTAY_STORM_SEED'] ?? 1)

const closers: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const close of closers.reverse()) await close()
}, 600_000)

/** A server that can be killed and restarted with its data. */
async function openReplica(database: TestDatabase) {
  const folder = await mkdtemp(path.join(tmpdir(), 'mainstay-storm-'))
  const environment = { ...cloudEnvironment(), DATABASE_URL: database.url }
  let program: ServerProgram | null = null
  closers.push(async () => {
    await program?.kill()
    await removeData(folder)
  })
  return {
    /** Null while the server is down. */
    get url() {
      return program?.url ?? null
    },
    said: () => program?.said() ?? '',
    async start() {
      program = await startProgram({ folder, environment })
    },
    async kill() {
      const killed = program
      program = null
      await killed?.kill()
    },
  }
}
type Replica = Awaited<ReturnType<typeof openReplica>>

const between = (random: Random, from: number, to: number) => from + random() * (to - from)

/** Acts on any running server, and switches to another one if it does not respond. */
async function beUser(
  name: string,
  replicas: Replica[],
  { token, ledger, flavor, isOver }: { token: string; ledger: Ledger; flavor: string; isOver: () => boolean },
) {
  const random = randomOf(seed * 1000 + name.length * 31 + name.charCodeAt(name.length - 1))
  const user = crashUser(ledger, name, random, { kinds: ['server', 'server', 'volume', 'image'], flavor })
  while (!isOver()) {
    const urls = replicas.flatMap(({ url }) => (url === null ? [] : [url]))
    const url = urls[Math.floor(random() * urls.length)]
    if (url === undefined) await pause(200)
    else await user.act(apiClient(url, token), isOver)
  }
}

/** Makes changes directly in the cloud, which the server must also pick up. */
async function beStranger(admin: PlainClient, project: string, isOver: () => boolean): Promise<number> {
  let done = 0
  while (!isOver()) {
    await pause(4_000)
    const servers = await admin.list<{ id: string }>(
      'compute',
      `/servers?all_tenants=1&project_id=${project}`,
      'servers',
    )
    const server = servers[done % Math.max(servers.length, 1)]
    if (!server) continue
    await admin
      .call('compute', 'PUT', `/servers/${server.id}`, { server: { name: `outside-${++done}` } })
      .catch(() => 0)
  }
  return done
}

async function killAround(replicas: Replica[], isOver: () => boolean, onKill: () => void): Promise<void> {
  const random = randomOf(seed)
  while (!isOver()) {
    await pause(between(random, 8_000, 25_000))
    const victim = replicas[Math.floor(random() * replicas.length)]!
    await victim.kill()
    onKill()
    await pause(between(random, 0, 6_000))
    await victim.start()
  }
}

const factsOf = (seen: Seen, project: string): Facts[] => [
  ...seen.servers
    .filter((row) => row.project_id === project)
    .map((row) =>
      serverFacts({
        ...row,
        task: row.task_state,
        flavor: row.flavor.original_name,
        addresses: row.network_data.flatMap((card) => card.fixed_ips.map((ip) => ip.ip_address)),
        volumes: row.volumes.map(({ id }) => id),
      }),
    ),
  ...seen.volumes
    .filter((row) => row.project_id === project)
    .map((row) => volumeFacts({ ...row, bytes: row.size, holders: row.attachments.map(({ server_id }) => server_id) })),
  ...seen.images.filter((row) => row.project_id === project).map((row) => imageFacts({ ...row, bytes: row.size ?? 0 })),
]

/**
 * Compares index and cloud until they match or the time is up. If a row is in transition in the cloud, it must also be
 * in transition in the index.
 */
async function compare(
  admin: PlainClient,
  api: ApiClient,
  project: string,
): Promise<{ rows: number; faults: string[] }> {
  const late = Date.now() + 90_000
  for (;;) {
    const cloud = await truthOf(admin, project)
    const faults = differences(cloud, factsOf(await look(api), project))
    if (faults.length === 0 || Date.now() > late) return { rows: cloud.length, faults }
    await pause(1_000)
  }
}

/** Compares every field of every row with what a new server reads from the cloud. */
async function compareWhole(database: TestDatabase, project: string): Promise<{ rows: number; faults: string[] }> {
  const fresh = await openCloudServer()
  closers.push(() => fresh.close())
  const late = Date.now() + 180_000
  const isRead = async () => (await fresh.tools.engineStates.all()).every(({ read_at: at }) => at !== null)
  while (!(await isRead()) && Date.now() < late) await pause(500)
  for (;;) {
    const anew = await wholeRows(fresh.databaseUrl, project)
    const faults = differingRows(await wholeRows(database.url, project), anew)
    if (faults.length === 0 || Date.now() > late) return { rows: anew.size, faults }
    await pause(1_000)
  }
}

async function prepare(): Promise<{ fixture: CloudFixture; database: TestDatabase; admin: PlainClient }> {
  const access = cloudAccess(process.env)
  const fixture = await prepareCloudFixture(access)
  closers.push(() => sweep(access, fixture.prefix))
  const database = await testDatabase()
  closers.push(() => database.drop())
  return { fixture, database, admin: await signInPlainly(access) }
}

test(
  'keeps the index in sync with the cloud and completes every task while two servers are killed at random',
  async () => {
    const { fixture, database, admin } = await prepare()
    const replicas = [await openReplica(database), await openReplica(database)]
    for (const replica of replicas) await replica.start()
    const { username, password, projectName, userDomain: domain } = fixture.ours.access
    const member = await signIn(replicas[0]!.url!, { username, password, domain, project: projectName })
    const { operator } = fixture
    const asOperator = await signIn(replicas[0]!.url!, {
      username: operator.access.username,
      password: operator.access.password,
      domain: operator.access.userDomain,
    })

    const ledger = emptyLedger()
    let kills = 0
    // a storm with too little activity would prove nothing, so it lasts longer on a slow host
    const isStorm = () => ledger.answered > seconds / 6 && kills > seconds / 40
    const began = Date.now()
    const isOver = () => Date.now() - began > seconds * (isStorm() ? 1000 : 4000)
    const [strange] = await Promise.all([
      beStranger(admin, fixture.ours.projectId, isOver),
      killAround(replicas, isOver, () => kills++),
      ...['ada', 'bob'].map((name) =>
        beUser(name, replicas, { token: member.token, ledger, flavor: fixture.flavor, isOver }),
      ),
    ])

    const api = apiClient(replicas[1]!.url!, asOperator.token)
    await settled(api, 300_000)
    const facts = await compare(admin, api, fixture.ours.projectId)
    const whole = await compareWhole(database, fixture.ours.projectId)
    const said = replicas.map((replica) => replica.said().slice(-2000)).join('\n')
    expect([...facts.faults, ...whole.faults, ...ledger.faults], `seed ${seed}; the servers said:\n${said}`).toEqual([])
    expect(isStorm(), `${ledger.answered} answers, ${kills} kills`).toBe(true)
    process.stdout.write(
      `storm: ${seconds} s, ${ledger.answered} answers, ${kills} kills, ${strange} changes from outside; ` +
        `${facts.rows} rows compared with what the cloud says, every field of ${whole.rows} with what is read of it anew\n`,
    )
  },
  (4 * seconds + 900) * 1000,
)
