import type { CommandJobs, Entity, Log } from '../../ports/records'
import type { ProjectScope } from '../../ports/scope'
import { Secret } from '../../ports/secret'
import type { DirectoryUnderTest } from '../../conformance/directory-fixture'
import { createCloud } from '../client/cloud'
import { createEngineTools } from '../engine-tools'
import { createDirectory } from '../identity/directory/directory'
import { domainReader, groupReader, projectReader, userReader } from '../identity/directory/readers'
import { createIdentity } from '../identity/identity'
import { createHandOver } from '../identity/hand-over'
import { createLookups } from '../identity/lookups'
import { administeringIn } from '../identity/tenant-client'
import type { KindReader, Reading } from '../kind-reader'
import { memoryRecords } from './engine-fixture'
import { startFakeCloud, type FakeCloud } from './fake-cloud/cloud'
import { serveDirectory, someDirectory, type Directory } from './fake-cloud/directory'

const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} }
const readers = [domainReader, projectReader, groupReader, userReader] as readonly KindReader<Entity>[]

export interface FakeDirectory extends DirectoryUnderTest {
  fake: FakeCloud
  /** The fake cloud's directory. */
  known: Directory
  /** Rows in the index, by keys such as `user/ID`. */
  index: Map<string, Entity>
  /** Subjects of the permission changes that were announced to all servers. */
  told: string[]
  /** Reads all rows of one kind from the cloud, as a full read does. */
  readAll(kind: 'domain' | 'project' | 'group' | 'user'): Promise<Entity[]>
}

/**
 * Runs the engine's directory against a fake cloud, with an in-memory index. `wayTo` returns another URL at which to
 * reach that cloud.
 */
export async function startFakeDirectory(wayTo?: (fake: FakeCloud) => Promise<string>): Promise<FakeDirectory> {
  const known = someDirectory()
  const fake = await startFakeCloud(known)
  serveDirectory(fake, known)
  const index = new Map<string, Entity>()
  const told: string[] = []
  const records = memoryRecords(index, [])
  const cloud = createCloud({ authUrl: wayTo ? await wayTo(fake) : fake.authUrl, log: quiet })
  const tokens = cloud.passwordTokens(
    { user: { id: 'u-service' }, password: new Secret('service-secret') },
    { project: { id: 'p-admin' } },
  )
  const caller = cloud.callerFor(tokens)
  const lookups = createLookups({ caller, accountProjectId: async () => 'p-admin', records, log: quiet })
  const reading: Reading = { caller, domainOf: async (id) => id, records }
  const { refresh } = createEngineTools({
    ...{ reading, readers, records, log: quiet, tasks: [] },
    jobs: { handle() {} } as unknown as CommandJobs,
    async applyObservations(observations) {
      for (const it of observations)
        if (it.op === 'put') index.set(`${it.kind}/${it.entity.id}`, it.entity)
        else index.delete(`${it.kind}/${it.id}`)
    },
  })
  const directory = createDirectory({
    engine: { records, reading, refresh },
    lookups,
    as: administeringIn(cloud),
    accountId: async () => 'u-service',
    tell: async (subject) => void told.push(subject),
  })
  const handOver = createHandOver({ cloud, lookups, addressForBrowsers: async () => fake.authUrl })
  const identity = createIdentity({ cloud, caller, lookups, handOver, directory })
  const signedIn = await identity.authenticate('admin', 'pass-admin', 'Default')
  const operator: ProjectScope = {
    ...{ kind: 'system', user_id: 'u-admin', user_name: 'admin', domain_id: 'default', project_id: 'p-admin' },
    ...{ roles: ['admin'], request_id: 'spec', credential: signedIn!.credential },
  }
  return {
    ...{ fake, known, index, told, identity, operator },
    prefix: '',
    row: async <Row extends Entity>(kind: string, id: string) => (index.get(`${kind}/${id}`) ?? null) as Row | null,
    async readAll(kind) {
      const rows: Entity[] = []
      for await (const page of readers.find((it) => it.kind === kind)!.all(reading)) rows.push(...page)
      return rows
    },
    async close() {
      await cloud.close()
      await fake.close()
    },
  }
}
