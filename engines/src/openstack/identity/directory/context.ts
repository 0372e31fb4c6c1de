import { notFound } from '@mainstay/contract/core/problems'
import type { Domain } from '@mainstay/contract/identity/domains'
import type { Group } from '@mainstay/contract/identity/groups'
import type { Project } from '@mainstay/contract/identity/projects'
import type { User } from '@mainstay/contract/identity/users'
import pLimit from 'p-limit'
import * as z from 'zod'
import type { Entity } from '../../../ports/records'
import type { Scope } from '../../../ports/scope'
import type { ServiceClient } from '../../client/service-client'
import type { Engine } from '../../engine'
import type { KindReader } from '../../kind-reader'
import { unlessGone } from '../../read-each'
import type { Lookups } from '../lookups'
import { commandsOf } from './advice'
import { domainReader, groupReader, projectReader, userReader } from './readers'
import { inDomain } from './rules'
import { WireDomain, WireProject, WireUser } from './wire'
import { at } from './world'

/** Rows that an act has changed are read at once; of more than this many the others are found by the next full read. */
const MOST_READ = 100

const readers = { user: userReader, group: groupReader, project: projectReader, domain: domainReader } as const
type Kind = keyof typeof readers
/** Counts of projects and domains come after what they count. */
const kinds = Object.keys(readers) as Kind[]
/** What an act has changed, by kind. */
export type Touched = Partial<Record<Kind, readonly string[]>>

export interface DirectoryOptions {
  engine: Pick<Engine, 'records' | 'reading' | 'refresh'>
  lookups: Lookups
  /** Answers a client with the token of who asks, in their domain or, of a system scope, in the administrators' project. */
  as(scope: Scope): Promise<ServiceClient>
  /** Id of the account by which this console works in the cloud. */
  accountId(): Promise<string>
  /** Tells every server whose rights have changed: `user:ID`, `project:ID`, or (empty) those of many. */
  tell(subject: string): Promise<void>
}

/** What the commands of a directory share. Who asks acts with their own token; what is there is read by the service account. */
export type DirectoryContext = ReturnType<typeof createContext>

export function createContext(options: DirectoryOptions) {
  const { engine, lookups } = options
  const { reading } = engine
  const { caller } = reading
  /** Of two acts at once the later one counts last. */
  const inTurn = pLimit(1)

  async function fresh<Row extends Entity>(reader: KindReader<Row>, id: string): Promise<Row> {
    const row = (await reader.some(reading, [id])).get(id)
    if (!row) throw notFound()
    return row
  }

  return {
    caller,
    records: engine.records,
    adminProjectId: () => lookups.adminProjectId(),
    accountId: options.accountId,
    commands: async (scope: Scope, what: string) => commandsOf(await options.as(scope), what),

    /** As Keystone has them now. Each throws `not_found`, also for one of another domain. */
    domain: async (id: string): Promise<WireDomain> =>
      (await caller.get('identity', at('domains', id), z.object({ domain: WireDomain }))).domain,
    project: async (domainId: string, id: string): Promise<WireProject> =>
      inDomain(
        (await caller.get('identity', at('projects', id), z.object({ project: WireProject }))).project,
        domainId,
      ),
    user: async (domainId: string, id: string): Promise<User> => inDomain(await fresh(userReader, id), domainId),
    group: async (domainId: string, id: string): Promise<Group> => inDomain(await fresh(groupReader, id), domainId),
    /** Throws `not_found` where one of the users is not there, or in another domain. */
    async requireUsers(domainId: string, ids: readonly string[]): Promise<void> {
      const shape = z.object({ user: WireUser })
      const read = async (id: string) => (await caller.get('identity', at('users', id), shape)).user
      await Promise.all(ids.map(async (id) => inDomain(await read(id), domainId)))
    },

    /** Brings the index up to what an act has changed, and says whose rights are others now. `row` answers what was read. */
    touched: (touched: Touched, told: readonly string[] = []) =>
      inTurn(async () => {
        const rows = new Map<string, Entity>()
        for (const kind of kinds)
          for (const id of new Set(touched[kind] ?? [])) if (kind !== 'group') lookups.forget(kind, id)
        const subjects = [...told, ...(touched.user ?? []).map((id) => `user:${id}`)]
        if (subjects.length > MOST_READ) await options.tell('')
        else for (const subject of new Set(subjects)) await options.tell(subject)
        for (const kind of kinds)
          for (const id of [...new Set(touched[kind] ?? [])].slice(0, MOST_READ)) {
            const row = await unlessGone(engine.refresh(readers[kind] as KindReader<Entity>, id))
            if (row) rows.set(`${kind}/${id}`, row)
          }
        const row = <Row>(kind: Kind, id: string): Row => {
          const found = rows.get(`${kind}/${id}`)
          if (!found) throw notFound()
          return found as unknown as Row
        }
        return {
          domain: (id: string) => row<Domain>('domain', id),
          project: (id: string) => row<Project>('project', id),
          user: (id: string) => row<User>('user', id),
          group: (id: string) => row<Group>('group', id),
        }
      }),
  }
}
