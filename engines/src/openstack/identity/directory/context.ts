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

/** Maximum number of rows refreshed after a change; the next full read refreshes the rest. */
const MOST_READ = 100

const readers = { user: userReader, group: groupReader, project: projectReader, domain: domainReader } as const
type Kind = keyof typeof readers
/** Projects and domains come last, because their rows count users and groups. */
const kinds = Object.keys(readers) as Kind[]
/** IDs of changed rows, by kind. */
export type Touched = Partial<Record<Kind, readonly string[]>>

export interface DirectoryOptions {
  engine: Pick<Engine, 'records' | 'reading' | 'refresh'>
  lookups: Lookups
  /**
   * Returns a client with the caller's token, scoped to their domain or, for a system scope, to the administrators'
   * project.
   */
  as(scope: Scope): Promise<ServiceClient>
  /** Returns the ID of the console's own service account. */
  accountId(): Promise<string>
  /**
   * Notifies all servers that permissions have changed: `user:ID`, `project:ID`, or an empty string for many of them.
   */
  tell(subject: string): Promise<void>
}

/** Shared by the directory commands. Commands use the caller's token; reads use the service account. */
export type DirectoryContext = ReturnType<typeof createContext>

export function createContext(options: DirectoryOptions) {
  const { engine, lookups } = options
  const { reading } = engine
  const { caller } = reading
  /** Runs refreshes one at a time, so that the last write has the latest data. */
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

    /**
     * The following functions read from Keystone. They throw `not_found` if the object is missing or in another domain.
     */
    domain: async (id: string): Promise<WireDomain> =>
      (await caller.get('identity', at('domains', id), z.object({ domain: WireDomain }))).domain,
    project: async (domainId: string, id: string): Promise<WireProject> =>
      inDomain(
        (await caller.get('identity', at('projects', id), z.object({ project: WireProject }))).project,
        domainId,
      ),
    user: async (domainId: string, id: string): Promise<User> => inDomain(await fresh(userReader, id), domainId),
    group: async (domainId: string, id: string): Promise<Group> => inDomain(await fresh(groupReader, id), domainId),
    /** Throws `not_found` if any of the users does not exist or is in another domain. */
    async requireUsers(domainId: string, ids: readonly string[]): Promise<void> {
      const shape = z.object({ user: WireUser })
      const read = async (id: string) => (await caller.get('identity', at('users', id), shape)).user
      await Promise.all(ids.map(async (id) => inDomain(await read(id), domainId)))
    },

    /** Refreshes changed rows and notifies servers of changed permissions. Returns getters for the refreshed rows. */
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
