import type * as z from 'zod'
import { Problem } from '@mainstay/contract/core/problems'
import pLimit from 'p-limit'
import type { Query, ServiceClient } from '../../client/service-client'
import { readGrants, readRoles, type Grant, type RoleBook } from './grants'
import type { ProjectsIn } from './rights'
import { WireDomain, WireGroup, WireId, WireProject } from './wire'

export const at = (list: string, id: string): string => `/${list}/${encodeURIComponent(id)}`

/** Returns all rows of a list. */
export async function allOf<Item extends z.ZodType>(
  caller: ServiceClient,
  path: string,
  key: string,
  item: Item,
  query: Query = {},
  signal?: AbortSignal,
): Promise<z.output<Item>[]> {
  const rows: z.output<Item>[] = []
  for await (const page of caller.pages('identity', path, key, item, {
    query,
    isWhole: true,
    ...(signal && { signal }),
  }))
    rows.push(...page)
  return rows
}

export async function idsOf(
  caller: ServiceClient,
  path: string,
  key: string,
  query: Query = {},
  signal?: AbortSignal,
): Promise<string[]> {
  return (await allOf(caller, path, key, WireId, query, signal)).map(({ id }) => id)
}

/** Data that is required to build rows of users and groups. */
interface Book {
  book: RoleBook
  projectsIn: ProjectsIn
}

export const openDirectory = async (caller: ServiceClient, signal?: AbortSignal): Promise<Book> => ({
  book: await readRoles(caller, signal),
  projectsIn: (domain_id) => idsOf(caller, '/projects', 'projects', { domain_id }, signal),
})

/** Users, groups and assignments from full lists, for building rows that depend on one another. */
export interface World extends Book {
  domains: WireDomain[]
  projects: WireProject[]
  groups: WireGroup[]
  grants: Grant[]
  /** User IDs by group. */
  membersOf: ReadonlyMap<string, readonly string[]>
  /** Returns the assignments of a user or group. */
  grantsTo(id: string): readonly Grant[]
  groupsOf(userId: string): (WireGroup & { grants: readonly Grant[] })[]
  /** Returns the identity provider IDs by user ID, for federated users. */
  providers(): Promise<ReadonlyMap<string, string>>
}

/** Number of parallel requests for group members. */
const AT_ONCE = 4

export async function readWorld(caller: ServiceClient, signal?: AbortSignal): Promise<World> {
  const [book, domains, projects] = await Promise.all([
    readRoles(caller, signal),
    allOf(caller, '/domains', 'domains', WireDomain, {}, signal),
    allOf(caller, '/projects', 'projects', WireProject, {}, signal),
  ])
  const grants = await readGrants(caller, book, undefined, signal)
  const inTurn = pLimit(AT_ONCE)
  // with domain-specific directories, Keystone lists groups only per domain
  const groups = (
    await inTurn.map(domains, ({ id }) => allOf(caller, '/groups', 'groups', WireGroup, { domain_id: id }, signal))
  ).flat()
  const membersOf = new Map(
    await inTurn.map(groups, async ({ id }) => {
      const members = await idsOf(caller, `${at('groups', id)}/users`, 'users', {}, signal).catch(noneWhereGone)
      return [id, members] as const
    }),
  )
  const given = new Map<string, Grant[]>()
  for (const grant of grants) {
    const known = given.get(grant.to.id)
    if (known) known.push(grant)
    else given.set(grant.to.id, [grant])
  }
  const grantsTo = (id: string): readonly Grant[] => given.get(id) ?? []
  const inGroups = new Map<string, (WireGroup & { grants: readonly Grant[] })[]>()
  for (const group of groups)
    for (const user of membersOf.get(group.id) ?? [])
      inGroups.set(user, [...(inGroups.get(user) ?? []), { ...group, grants: grantsTo(group.id) }])
  return {
    ...{ book, domains, projects, groups, grants, membersOf, grantsTo },
    projectsIn: async (domainId) => projects.flatMap(({ id, domain_id }) => (domain_id === domainId ? [id] : [])),
    groupsOf: (userId) => inGroups.get(userId) ?? [],
    providers: () => readProviders(caller, signal),
  }
}

const isOneOf =
  (...codes: string[]) =>
  (error: unknown): boolean =>
    error instanceof Problem && codes.includes(error.code)

/** Returns no members if the group has since been deleted. */
function noneWhereGone(error: unknown): string[] {
  if (isOneOf('not_found')(error)) return []
  throw error
}

/** Reads the users of each identity provider, because user lists do not include the provider. */
async function readProviders(caller: ServiceClient, signal?: AbortSignal): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const root = '/OS-FEDERATION/identity_providers'
  // the cloud has no federation
  const providers = await idsOf(caller, root, 'identity_providers', {}, signal).catch((error: unknown) => {
    if (isOneOf('not_found', 'forbidden')(error)) return []
    throw error
  })
  for (const idp_id of providers)
    for (const id of await idsOf(caller, '/users', 'users', { idp_id }, signal)) found.set(id, idp_id)
  return found
}
