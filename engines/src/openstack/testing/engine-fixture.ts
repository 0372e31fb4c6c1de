import { allKinds } from '@mainstay/contract/resources'
import { valueAt } from '@mainstay/contract/core/kind'
import type {
  CommandJobs,
  Entity,
  JobHandler,
  JobStart,
  Records,
  RecordsTransaction,
  FieldMatch,
  Whose,
} from '../../ports/records'
import { cloudAreas, type Area } from '../../ports/area-ports'
import type { ProjectScope, Scope } from '../../ports/scope'
import { Secret } from '../../ports/secret'
import { matches } from '../../match'
import { createCloud } from '../client/cloud'
import type { Engine } from '../engine'
import { createEngineTools } from '../engine-tools'
import { accountInProjects } from '../identity/account-in-project'
import { createAssigning } from '../identity/assigning'
import type { KindReader, Reading } from '../kind-reader'
import { startFakeCloud, type FakeCloud, type OptionalService } from './fake-cloud/cloud'
import type { FakePeople } from './fake-cloud/keystone'
import { memoryIntents, type MemoryIntents } from './memory-intents'
import { runTask } from './run-task'

/** An engine that runs against a fake cloud, with an in-memory index. Each user acts with their own token. */
export interface EngineFixture {
  cloud: FakeCloud
  engine: Engine
  member: ProjectScope
  /** A member of another project. */
  stranger: ProjectScope
  operator: ProjectScope
  /** Role assignments in the cloud; tests may add some. */
  assignments: FakePeople['assignments']
  /** Rows in the index, by keys such as `image/ID`. */
  index: Map<string, Entity>
  /** Tasks that were started. */
  begun: JobStart[]
  /**
   * Runs the most recently started task, or the most recently started one of this name, like a server that knows only
   * the task's database row.
   */
  runTask(name?: string): Promise<unknown>
  intents: MemoryIntents
  /** Runs the job for the only open intent, like a server that has only the job's database row. */
  runIntent(): Promise<unknown>
  /** Messages logged as warnings or errors. */
  logged: string[]
  close(): Promise<void>
}

const Default = { id: 'default', name: 'Default' }
const people = {
  users: ['service', 'demo', 'other'].map((name) => ({ id: `u-${name}`, name, password: name, domain: Default })),
  projects: ['admin', 'demo', 'other'].map((name) => ({ id: `p-${name}`, name, domain: Default })),
  assignments: [
    { user: 'u-service', project: 'p-admin', role: 'admin' },
    { user: 'u-demo', project: 'p-demo', role: 'member' },
    { user: 'u-other', project: 'p-other', role: 'member' },
  ],
}

const scopeOf = (name: string, project: string, kind: Scope['kind']): ProjectScope => ({
  kind,
  user_id: `u-${name}`,
  user_name: name,
  domain_id: Default.id,
  project_id: `p-${project}`,
  roles: [kind === 'system' ? 'superuser' : 'project_member'],
  request_id: 'spec',
})

/** Starts the fixture. `services`: optional services to include in the fake cloud. */
export async function startEngineFixture(
  readers: readonly KindReader<Entity>[] = [],
  services: readonly OptionalService[] = [],
): Promise<EngineFixture> {
  const assignments = [...people.assignments]
  const cloud = await startFakeCloud({ ...people, assignments }, services)
  const index = new Map<string, Entity>()
  const begun: JobStart[] = []
  const logged: string[] = []
  const told = (_: object, message: string) => void logged.push(message)
  const log = { debug() {}, info() {}, warn: told, error: told }
  const client = createCloud({ authUrl: cloud.authUrl, log })
  const records = memoryRecords(index, begun)
  const handlers = new Map<string, JobHandler>()
  const intents = memoryIntents(begun)
  const handle = (name: string, handler: JobHandler) => void handlers.set(name, handler)
  const jobs: CommandJobs = { handle, prepare: (job) => intents.prepare(job) }
  const signInOf = (name: string, project: string) => {
    const user = { name, domain: { id: Default.id } }
    return [{ user, password: new Secret(name) }, { project: { id: `p-${project}` } }] as const
  }
  const tenant = async (name: string) => {
    const [credentials, scope] = signInOf(name, name)
    return client.callerFor(client.held(await client.authenticate({ method: 'password', ...credentials }, scope)))
  }
  const [account, accountScope] = signInOf('service', 'admin')
  const tokens = client.passwordTokens(account, accountScope)
  const service = client.callerFor(tokens)
  const assigning = createAssigning(service, async () => 'p-admin')
  const callers = { 'u-demo': await tenant('demo'), 'u-other': await tenant('other'), 'u-service': service }
  const reading: Reading = { caller: service, domainOf: async () => Default.id, records }
  const tools = createEngineTools({
    reading,
    readers,
    records,
    async applyObservations(observations) {
      for (const observation of observations) {
        if (observation.op === 'put') index.set(`${observation.kind}/${observation.entity.id}`, observation.entity)
        else index.delete(`${observation.kind}/${observation.id}`)
      }
    },
    jobs,
    log,
    patience: { look: 2, lookAtMost: 4, ask: 5, askAtMost: 10, trace: 30 },
  })
  return {
    cloud,
    engine: {
      ...tools,
      areas: new Set<Area>([...cloudAreas, 'load-balancing', 'vpn']),
      reading,
      trust: { rejectUnauthorized: true },
      records,
      jobs,
      log,
      as: async ({ user_id }) => callers[user_id as 'u-demo'],
      accountIn: accountInProjects({
        ...{ cloud: client, tokens, assigning },
        credentials: { method: 'password', ...account },
      }),
    },
    member: scopeOf('demo', 'demo', 'project'),
    stranger: scopeOf('other', 'other', 'project'),
    operator: scopeOf('service', 'admin', 'system'),
    assignments,
    index,
    begun,
    logged,
    intents,
    async runIntent() {
      const [task_id, job] = [...intents.open][0]!
      intents.open.delete(task_id)
      return runTask(handlers.get(job.name)!, job, undefined, { task_id, prepared: true })
    },
    runTask(name) {
      const job = begun.findLast((it) => name === undefined || it.name === name)!
      return runTask(handlers.get(job.name)!, job)
    },
    async close() {
      await client.close()
      await cloud.close()
    },
  }
}

const derivedOf = (kind: string, row: Entity) => allKinds[kind]?.derive?.from(row)

/** Creates in-memory records for a single process. Transactions run one at a time. */
export function memoryRecords(index: Map<string, Entity>, begun: JobStart[]): Records {
  const secrets = new Map<string, unknown>()
  const get = async (kind: string, id: string) => structuredClone(index.get(`${kind}/${id}`) ?? null)
  const tx = {
    get,
    lock: get,
    put: async (kind: string, entity: Entity) => void index.set(`${kind}/${entity.id}`, entity),
    remove: async (kind: string, id: string) => void index.delete(`${kind}/${id}`),
    getPrivate: async (kind: string, id: string) => structuredClone(secrets.get(`${kind}/${id}`) ?? null),
    putPrivate: async (kind: string, id: string, data: unknown) => void secrets.set(`${kind}/${id}`, data),
    removePrivate: async (kind: string, id: string) => void secrets.delete(`${kind}/${id}`),
    exclusive: async () => undefined,
    find: async (kind: string, where: Record<string, FieldMatch>) =>
      [...index]
        .filter(([key]) => key.startsWith(`${kind}/`))
        .map(([, row]) => structuredClone(row))
        .filter((row) => Object.entries(where).every(([path, value]) => matches(valueAt(row, path), value))),
    sum: async (kind: string, whose: Whose, path?: string) =>
      [...index]
        .filter(
          ([key, row]) =>
            key.startsWith(`${kind}/`) && Object.entries(whose ?? {}).every(([field, id]) => row[field] === id),
        )
        .map(([, row]) => (path === undefined ? 1 : Number(valueAt({ ...row, derived: derivedOf(kind, row) }, path))))
        .reduce((sum, figure) => sum + figure, 0),
    startJob: async (job: JobStart) => `task ${begun.push(job)}`,
  } as unknown as RecordsTransaction
  let turn: Promise<unknown> = Promise.resolve()
  return {
    transaction(work) {
      const result = turn.then(() => work(tx))
      turn = result.catch(() => undefined)
      return result
    },
  }
}
