import type { Entity, Records, RecordsTransaction } from '../../ports/records'
import { Secret } from '../../ports/secret'
import { createCloud } from '../client/cloud'
import { flavorReader } from '../compute/flavors/shape'
import { imageReader } from '../compute/images/shape'
import { instanceReader } from '../compute/instances/reader'
import { sshKeyReader } from '../compute/ssh-keys/shape'
import { createLookups, type Lookups } from '../identity/lookups'
import type { KindReader, Reading } from '../kind-reader'
import { loadBalancerReader } from '../load-balancing/balancers/reader'
import { lbPoolReader } from '../load-balancing/pools/reader'
import { networkReader } from '../networking/networks/reader'
import { subnetReader } from '../networking/subnets/reader'
import { volumeReader } from '../storage/volumes/shape'
import type { CloudAccess } from '../testing/plain-client'

/* Reads a cloud while it is recorded and when the recording is replayed, with the same calls in the same order. */

export const recordedReaders: readonly KindReader<Entity>[] = [
  instanceReader,
  flavorReader,
  sshKeyReader,
  imageReader,
  volumeReader,
  networkReader,
  subnetReader,
  lbPoolReader,
  loadBalancerReader,
]

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const forgetful: Records = {
  transaction: (work) =>
    work({ getPrivate: async () => null, putPrivate: async () => undefined } as unknown as RecordsTransaction),
}
/** An ID that does not exist. */
export const nobody = '00000000-0000-4000-8000-000000000000'

export function clientOf(access: CloudAccess) {
  const client = createCloud({ authUrl: access.authUrl, log: silent, ...(access.region && { region: access.region }) })
  const account = {
    user: { name: access.username, domain: { name: access.userDomain } },
    password: new Secret(access.password),
  }
  const project = { name: access.projectName, domain: { name: access.projectDomain } }
  return { client, caller: client.callerFor(client.passwordTokens(account, { project })) }
}

/** Name prefix of the recorded objects. */
export const recordedRun = 'recorded'
const isOurs = ({ name }: Entity) => /^(conformance-)?recorded-/.test(String(name))

/** Reads all rows of a kind, then each recorded one separately, and one that does not exist. */
export async function readKind<Row extends Entity>(
  access: CloudAccess,
  reader: KindReader<Row>,
): Promise<{ all: Row[]; some: Map<string, Row | null> }> {
  const { client, caller } = clientOf(access)
  const reading: Reading = { caller, domainOf: async () => 'default' }
  try {
    const all: Row[] = []
    for await (const page of reader.all(reading)) all.push(...page)
    const ids = all.filter(isOurs).map(({ id }) => id)
    return { all, some: await reader.some(reading, [...ids, nobody]) }
  } finally {
    await client.close()
  }
}

export interface People {
  user: Awaited<ReturnType<Lookups['users']['get']>>
  project: Awaited<ReturnType<Lookups['projects']['get']>>
  domain: Awaited<ReturnType<Lookups['domains']['get']>>
  enterable: Awaited<ReturnType<Lookups['enterable']['get']>>
  nobody: unknown[]
}

/** Reads a user, the projects they can enter, their project and its domain. */
export async function readPeople(access: CloudAccess, userId: string, projectId: string): Promise<People> {
  const { client, caller } = clientOf(access)
  const lookups = createLookups({
    caller,
    accountProjectId: async () => projectId,
    records: forgetful,
    log: silent,
  })
  try {
    const project = await lookups.projects.get(projectId)
    return {
      user: await lookups.users.get(userId),
      project,
      domain: await lookups.domains.get(project?.domain_id ?? nobody),
      enterable: await lookups.enterable.get(userId),
      nobody: [await lookups.users.get(nobody), await lookups.projects.get(nobody)],
    }
  } finally {
    await client.close()
  }
}
