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

/** A lookup that takes longer is a cloud that is away. */
const DEADLINE_MS = 10_000

type Enterable = ProjectRecord & { domain_name: string }

/** Who and what there is, by the service account. Each goes on from what was known last while Keystone is away. */
export interface Lookups {
  users: LastKnown<UserRecord>
  domains: LastKnown<DomainRecord>
  projects: LastKnown<ProjectRecord>
  /** By a user's id: projects that they may enter. */
  enterable: LastKnown<Enterable[]>
  /** Under `all`: the ways to sign in through identity providers. */
  ways: LastKnown<Way[]>
  tokenGroups: TokenGroups
  /** The service account's own project. */
  adminProjectId(): Promise<string>
  /** What changed, and what follows from it, is asked for anew. */
  forget(kind: 'user' | 'project' | 'domain', id: string): void
  /** The same of everything. */
  forgetAll(): void
  /** The cloud has just answered: it need not be taken for away any longer. */
  reached(): void
}

const orNull = <Found>(asked: Promise<Found>): Promise<Found | null> =>
  asked.catch((error: unknown) => {
    if (error instanceof Problem && error.code === 'not_found') return null
    throw refused(error)
  })

/** What the service account may not read is a fault of the installation, not of who asks. */
function refused(error: unknown): unknown {
  if (!(error instanceof Problem) || error.status >= 500) return error
  return problem('identity.no_lookups', { reason: error.message }, { data: error.data, cause: error })
}

export function createLookups(options: {
  /** Of the service account. */
  caller: ServiceClient
  /** The service account's own project, by its token. */
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
      // by a group that the user's token alone tells of
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
    // a cloud without federation, or an account that may not see it, has no providers
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
    // there is always one, or reading it throws
    adminProjectId: async () => (await account.get('own'))!.project_id,
    forget(kind, id) {
      const known = { user: users, project: projects, domain: domains }[kind]
      known.forget(id)
      // whom a project or a domain concerns is not known here
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
