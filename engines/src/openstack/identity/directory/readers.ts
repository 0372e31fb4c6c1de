import type { Domain } from '@mainstay/contract/identity/domains'
import type { Group } from '@mainstay/contract/identity/groups'
import type { Project } from '@mainstay/contract/identity/projects'
import { rightsOf, type GroupOfUser } from '@mainstay/contract/identity/rights'
import { roleOf } from '@mainstay/contract/identity/user-roles'
import type { User } from '@mainstay/contract/identity/users'
import * as z from 'zod'
import type { Entity } from '../../../ports/records'
import type { ServiceClient } from '../../client/service-client'
import { unreadableIn, type KindReader, type Reading } from '../../kind-reader'
import { readEach, rowOfEach } from '../../read-each'
import { isProjectRole } from '../roles'
import { readGrants, type Grant } from './grants'
import { rightsOfGrants } from './rights'
import { WireDomain, WireGroup, WireId, WireProject, WireUser } from './wire'
import { allOf, at, idsOf, openDirectory, readWorld, type World } from './world'

/*
 * Notifications from Keystone are not received and its objects have no timestamps. Rows are therefore polled, and
 * refreshed after changes made here; `created_at` is null.
 */

/** Counts rows in the index. */
const countedIn = async ({ records }: Reading, domain_id: string) => ({
  projects_count: (await records?.transaction((tx) => tx.sum('project', { domain_id }))) ?? 0,
  users_count: (await records?.transaction((tx) => tx.sum('user', { domain_id }))) ?? 0,
})

const domainRow = async ({ id, name, description, enabled }: WireDomain, reading: Reading): Promise<Domain> => ({
  ...{ id, name, description: description ?? '', enabled },
  ...(await countedIn(reading, id)),
  created_at: null,
})

export const domainReader: KindReader<Domain> = {
  kind: 'domain',
  service: 'identity',
  list: 'domains',
  isBusy: () => false,
  async *all(reading, signal) {
    const domains = await allOf(reading.caller, '/domains', 'domains', WireDomain, {}, signal)
    yield await rowOfEach(reading, 'domains', domains, (domain) => domainRow(domain, reading))
  },
  some: (reading, ids, signal) =>
    readEach(
      ids,
      async (id) => {
        const shape = z.object({ domain: WireDomain })
        const { domain } = await reading.caller.get('identity', at('domains', id), shape, signal ? { signal } : {})
        return domainRow(domain, reading)
      },
      unreadableIn(reading, 'domains'),
    ),
}

/** Counts users with a known role in a project: assigned directly, through a group, or inherited from the domain. */
async function membersOf(caller: ServiceClient, id: string, signal?: AbortSignal): Promise<number> {
  const item = z.object({ role: z.object({ name: z.string() }), user: WireId.optional() })
  const query = { 'scope.project.id': id, effective: true, include_names: true }
  const options = { query, ...(signal && { signal }) }
  const members = new Set<string>()
  for await (const page of caller.pages('identity', '/role_assignments', 'role_assignments', item, options))
    for (const { user, role } of page) if (user && isProjectRole(role.name)) members.add(user.id)
  return members.size
}

/** Finds these users for all projects, using their role assignments. */
function membersByProject({ book, grants, membersOf: inGroup, projects }: World): Map<string, Set<string>> {
  const members = new Map<string, Set<string>>(projects.map(({ id }) => [id, new Set()]))
  const places = ({ place }: Grant): string[] => {
    if (place.on === 'project') return [place.id]
    if (place.on === 'system' || !place.isInherited) return []
    return projects.flatMap(({ id, domain_id }) => (domain_id === place.id ? [id] : []))
  }
  for (const grant of grants) {
    if (!book.namesOf(grant.role.id).some(isProjectRole)) continue
    const who = grant.to.kind === 'user' ? [grant.to.id] : (inGroup.get(grant.to.id) ?? [])
    for (const id of places(grant)) for (const user of who) members.get(id)?.add(user)
  }
  return members
}

const projectRow = ({ id, name, description, enabled, domain_id, tags }: WireProject, members: number): Project => ({
  ...{ id, name, description: description ?? '', enabled, domain_id },
  members_count: members,
  tags: tags ?? [],
  created_at: null,
})

export const projectReader: KindReader<Project> = {
  kind: 'project',
  service: 'identity',
  list: 'projects',
  isBusy: () => false,
  async *all(reading, signal) {
    const world = await readWorld(reading.caller, signal)
    const members = membersByProject(world)
    yield world.projects.map((it) => projectRow(it, members.get(it.id)!.size))
  },
  some: (reading, ids, signal) =>
    readEach(
      ids,
      async (id) => {
        const shape = z.object({ project: WireProject })
        const { project } = await reading.caller.get('identity', at('projects', id), shape, signal ? { signal } : {})
        return projectRow(project, await membersOf(reading.caller, id, signal))
      },
      unreadableIn(reading, 'projects'),
    ),
}

const rightsIn = (world: Pick<World, 'book' | 'projectsIn'>, grants: readonly Grant[], homeDomainId: string) =>
  rightsOfGrants(grants, homeDomainId, world.book, world.projectsIn)

async function groupRow(
  { id, name, description, domain_id }: WireGroup,
  members_count: number,
  world: Pick<World, 'book' | 'projectsIn'>,
  grants: readonly Grant[],
): Promise<Group> {
  const rights = await rightsIn(world, grants, domain_id)
  return {
    ...{ id, name, description: description ?? '', role: roleOf(rights), domain_id, ...rights, members_count },
    created_at: null,
  }
}

export const groupReader: KindReader<Group> = {
  kind: 'group',
  service: 'identity',
  list: 'groups',
  isBusy: () => false,
  async *all(reading, signal) {
    const world = await readWorld(reading.caller, signal)
    yield await rowOfEach(reading, 'groups', world.groups, (group) =>
      groupRow(group, world.membersOf.get(group.id)?.length ?? 0, world, world.grantsTo(group.id)),
    )
  },
  some: (reading, ids, signal) =>
    readEach(
      ids,
      async (id) => {
        const { caller } = reading
        const shape = z.object({ group: WireGroup })
        const { group } = await caller.get('identity', at('groups', id), shape, signal ? { signal } : {})
        const world = await openDirectory(caller, signal)
        const [members, grants] = await Promise.all([
          idsOf(caller, `${at('groups', id)}/users`, 'users', {}, signal),
          readGrants(caller, world.book, { kind: 'group', id }, signal),
        ])
        return groupRow(group, members.length, world, grants)
      },
      unreadableIn(reading, 'groups'),
    ),
}

/** Keystone generates IDs of this form for users in external directories. The IDs of its own users are half as long. */
const foreignId = /^[0-9a-f]{64}$/

async function userRow(
  { id, name, domain_id, enabled, email, description, federated }: WireUser,
  provider: string | null,
  world: Pick<World, 'book' | 'projectsIn'>,
  grants: readonly Grant[],
  groups: readonly (WireGroup & { grants: readonly Grant[] })[],
): Promise<User> {
  const own = await rightsIn(world, grants, domain_id)
  const inGroups = await Promise.all(
    groups
      .toSorted((one, other) => (`${one.name} ${one.id}` < `${other.name} ${other.id}` ? -1 : 1))
      .map(async (group): Promise<GroupOfUser> => {
        const rights = await rightsIn(world, group.grants, group.domain_id)
        return { id: group.id, name: group.name, ...rights }
      }),
  )
  return {
    ...{ id, name, domain_id, enabled, email: email || null, description: description ?? '' },
    role: roleOf(rightsOf({ ...own, groups: inGroups })),
    ...own,
    groups: inGroups,
    identity_provider: federated?.[0]?.idp_id ?? provider ?? (foreignId.test(id) ? 'LDAP' : null),
    s3_user_id: null,
    created_at: null,
  }
}

export const userReader: KindReader<User> = {
  kind: 'user',
  service: 'identity',
  list: 'users',
  isBusy: () => false,
  async *all(reading, signal) {
    const { caller } = reading
    const world = await readWorld(caller, signal)
    const providers = await world.providers()
    // with domain-specific directories, Keystone lists users only per domain
    for (const { id: domain_id } of world.domains) {
      const options = { query: { domain_id }, isWhole: true, ...(signal && { signal }) }
      for await (const page of caller.pages('identity', '/users', 'users', WireUser, options))
        yield await rowOfEach(reading, 'users', page, (user) =>
          userRow(user, providers.get(user.id) ?? null, world, world.grantsTo(user.id), world.groupsOf(user.id)),
        )
    }
  },
  some: (reading, ids, signal) =>
    readEach(
      ids,
      async (id) => {
        const { caller } = reading
        const shape = z.object({ user: WireUser })
        const { user } = await caller.get('identity', at('users', id), shape, signal ? { signal } : {})
        const world = await openDirectory(caller, signal)
        const [grants, groups] = await Promise.all([
          readGrants(caller, world.book, { kind: 'user', id }, signal),
          allOf(caller, `${at('users', id)}/groups`, 'groups', WireGroup, {}, signal),
        ])
        const withGrants = await Promise.all(
          groups.map(async (group) => ({
            ...group,
            grants: await readGrants(caller, world.book, { kind: 'group', id: group.id }, signal),
          })),
        )
        return userRow(user, null, world, grants, withGrants)
      },
      unreadableIn(reading, 'users'),
    ),
}

/** Readers for domains, groups, projects and users. */
export const identityReaders: readonly KindReader<Entity>[] = [domainReader, groupReader, projectReader, userReader]
