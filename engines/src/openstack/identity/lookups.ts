import { Problem, problem } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import { entersWholeDomain, type DomainRecord, type ProjectRecord, type UserRecord } from '../../ports/identity'
import type { Log, Records } from '../../ports/records'
import type { ServiceClient } from '../client/service-client'
import { readSignInMethods, type Way } from './identity-providers'
import { createLastKnown, reachable, type KnownTimes, type LastKnown } from './last-known'
import { rolesOf, WireAssignment } from './roles'
import { systemRolesOf } from './system-roles'
import { createTokenGroups, type TokenGroups } from './token-groups'
import { toDomain, toProject, WireDomain, WireProject, WireUser } from './wire'

/** If a lookup takes longer than this, the cloud counts as down. */
const DEADLINE_MS = 10_000

type Enterable = ProjectRecord & { domain_name: string }

/** Lookups with the service account. Each one returns the last known result while Keystone is down. */
export interface Lookups {
  users: LastKnown<UserRecord>
  domains: LastKnown<DomainRecord>
  projects: LastKnown<ProjectRecord>
  /** Projects that a user can enter, by user ID. */
  enterable: LastKnown<Enterable[]>
  /** Identity providers to sign in with, under the key `all`. */
  ways: LastKnown<Way[]>
  tokenGroups: TokenGroups
  /** Returns the service account's project. */
  adminProjectId(): Promise<string>
  /** Marks the results for a changed object as stale, including all results that depend on it. */
  forget(kind: 'user' | 'project' | 'domain', id: string): void
  /** Marks all results as stale. */
  forgetAll(): void
  /** Records that the cloud has just responded, which ends an outage. */
  reached(): void
}

const orNull = <Found>(asked: Promise<Found>): Promise<Found | null> =>
  asked.catch((error: unknown) => {
    if (error instanceof Problem && error.code === 'not_found') return null
    throw refused(error)
  })

/** If the service account lacks permissions, the installation is at fault, not the caller. */
function refused(error: unknown): unknown {
  if (!(error instanceof Problem) || error.status >= 500) return error
  return problem('identity.no_lookups', { reason: error.message }, { data: error.data, cause: error })
}

export function createLookups(options: {
  /** Client that uses the service account. */
  caller: ServiceClient
  /** Returns the service account's project, from its token. */
  accountProjectId: () => Promise<string>
  records: Records
  log: Log
  times?: KnownTimes
}): Lookups {
  const { caller, accountProjectId, ...rest } = options
  const shared = { ...rest, reachable: reachable() }
  const how = { deadlineMs: DEADLINE_MS }

  async function rowsOf<Item extends z.ZodType>(
    path: string,
    key: string,
    item: Item,
    query: Record<string, string | boolean> = {},
  ): Promise<z.output<Item>[]> {
    const rows: z.output<Item>[] = []
    for await (const page of caller.pages('identity', path, key, item, { ...how, query })) rows.push(...page)
    return rows
  }
  const tokenGroups = createTokenGroups(caller, rest.records, how)
  const at = (kind: string, id: string) => `/${kind}/${encodeURIComponent(id)}`

  const domains = createLastKnown<DomainRecord>({
    ...shared,
    kind: 'identity.domain',
    read: async (id) => {
      const found = await orNull(caller.get('identity', at('domains', id), z.object({ domain: WireDomain }), how))
      return found && toDomain(found.domain)
    },
  })

  const projects = createLastKnown<ProjectRecord>({
    ...shared,
    kind: 'identity.project',
    read: async (id) => {
      const found = await orNull(caller.get('identity', at('projects', id), z.object({ project: WireProject }), how))
      return found && toProject(found.project)
    },
  })

  const users = createLastKnown<UserRecord>({
    ...shared,
    kind: 'identity.user',
    read: async (id) => {
      const groups = await tokenGroups.of(id)
      const found = await orNull(
        Promise.all([
          caller.get('identity', at('users', id), z.object({ user: WireUser }), how),
          rowsOf('/role_assignments', 'role_assignments', WireAssignment, {
            'user.id': id,
            effective: true,
            include_names: true,
          }),
          systemRolesOf(caller, id, how, groups),
          tokenGroups.assignments(groups),
        ]),
      )
      if (!found) return null
      const [{ user }, ...assignments] = found
      return {
        id: user.id,
        name: user.name,
        domain_id: user.domain_id,
        email: user.email ?? null,
        enabled: user.enabled,
        is_superuser: false,
        ...rolesOf(assignments.flat(), user.domain_id),
        identity_provider: user.federated?.[0]?.idp_id ?? null,
      }
    },
  })

  const enterable = createLastKnown<Enterable[]>({
    ...shared,
    kind: 'identity.enterable',
    read: async (userId) => {
      const user = await users.get(userId)
      if (!user) return null
      const assigned = new Set(user.assigned_projects.map((it) => it.project_id))
      const [own, ofDomain] = await Promise.all([
        rowsOf(`${at('users', userId)}/projects`, 'projects', WireProject),
        entersWholeDomain(user) ? rowsOf('/projects', 'projects', WireProject, { domain_id: user.domain_id }) : [],
      ]).catch((error: unknown) => {
        throw refused(error)
      })
      const found = new Map(
        [...own.filter(({ id }) => assigned.has(id)), ...ofDomain].map((it) => [it.id, toProject(it)]),
      )
      // assigned through a group that appears only in the user's token
      for (const id of assigned) {
        const project = found.has(id) ? null : await projects.get(id)
        if (project) found.set(id, project)
      }
      const named = await Promise.all(
        [...found.values()].map(async (it) => ({ ...it, domain_name: (await domains.get(it.domain_id))?.name ?? '' })),
      )
      return named.toSorted((one, other) => (`${one.name} ${one.id}` < `${other.name} ${other.id}` ? -1 : 1))
    },
  })

  const ways = createLastKnown<Way[]>({
    ...shared,
    kind: 'identity.ways',
    // without federation, or without permission to read it, there are no providers
    read: () =>
      readSignInMethods(caller, domains.get, how).catch((error: unknown) => {
        if (error instanceof Problem && ['not_found', 'forbidden'].includes(error.code)) return []
        throw error
      }),
  })

  const account = createLastKnown<{ project_id: string }>({
    ...shared,
    kind: 'identity.account',
    read: async () => ({ project_id: await accountProjectId() }),
  })

  return {
    users,
    domains,
    projects,
    enterable,
    ways,
    tokenGroups,
    // never null: the read throws instead
    adminProjectId: async () => (await account.get('own'))!.project_id,
    forget(kind, id) {
      const known = { user: users, project: projects, domain: domains }[kind]
      known.forget(id)
      // which users have access to a project or domain is unknown here
      if (kind === 'user') enterable.forget(id)
      else enterable.forgetAll()
    },
    forgetAll() {
      for (const known of [users, projects, domains, enterable]) known.forgetAll()
    },
    reached() {
      shared.reachable.away = false
    },
  }
}
