import type { Log, Records, RecordsTransaction } from '../../ports/records'
import { Secret } from '../../ports/secret'
import { createCloud, type Cloud } from '../client/cloud'
import { startFakeCloud } from './fake-cloud/cloud'
import { actingIn } from '../identity/tenant-client'
import { addressForBrowsers, createHandOver } from '../identity/hand-over'
import { createIdentity } from '../identity/identity'
import { createLookups } from '../identity/lookups'
import { createProjectDomains } from '../identity/project-domains'
import { serveDirectory, someDirectory } from './fake-cloud/directory'

const nothing = () => undefined
const quiet: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing }

/** Creates in-memory private records that outlive an engine, as they do in a database. */
function privateRecords(): Records & { kept: Map<string, unknown> } {
  const kept = new Map<string, unknown>()
  const tx: Partial<RecordsTransaction> = {
    getPrivate: async <Data>(kind: string, id: string) =>
      (structuredClone(kept.get(`${kind}/${id}`)) ?? null) as Data | null,
    putPrivate: async (kind, id, data) => void kept.set(`${kind}/${id}`, structuredClone(data)),
    removePrivate: async (kind, id) => void kept.delete(`${kind}/${id}`),
  }
  return { kept, transaction: (work) => work(tx as RecordsTransaction) }
}

/** Cache times in milliseconds. They are short to keep tests fast; `patience` allows for a busy machine. */
export const times = { fresh: 100, patience: 5_000, rest: 150 }

export type IdentityFixture = Awaited<ReturnType<typeof startIdentityFixture>>

/** Starts a fake Keystone with users, and the identity parts of the engine. */
export async function startIdentityFixture() {
  const directory = someDirectory()
  const fake = await startFakeCloud(directory)
  serveDirectory(fake, directory)
  const records = privateRecords()
  const clouds: Cloud[] = []

  return {
    directory,
    fake,
    records,
    /** Opens the identity parts of the engine, as the server does at startup. */
    open(authUrl = fake.authUrl, webssoUrl: string | null = null, own = times) {
      const cloud = createCloud({ authUrl, log: quiet })
      clouds.push(cloud)
      const tokens = cloud.passwordTokens(
        { user: { id: 'u-service' }, password: new Secret('service-secret') },
        { project: { id: 'p-admin' } },
      )
      const caller = cloud.callerFor(tokens)
      const accountProjectId = async () => (await tokens.token()).project!.id
      const lookups = createLookups({ caller, accountProjectId, records, log: quiet, times: own })
      const domainOf = createProjectDomains(caller, lookups.projects)
      const handOver = createHandOver({
        cloud,
        lookups,
        addressForBrowsers: () => addressForBrowsers({ authUrl, webssoUrl, endpoints: {} }, tokens),
      })
      return {
        cloud,
        domainOf,
        handOver,
        identity: createIdentity({ cloud, caller, lookups, handOver, directory: null }),
        as: actingIn(cloud),
      }
    },
    async close() {
      for (const cloud of clouds) await cloud.close()
      await fake.close()
    },
  }
}
