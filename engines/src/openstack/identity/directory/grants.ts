import * as z from 'zod'
import type { ServiceClient } from '../../client/service-client'
import { WireId } from './wire'

/* Role assignments as stored in Keystone. Group membership, inheritance and implied roles are evaluated here. */

const WireGrant = z.object({
  role: WireId,
  user: WireId.optional(),
  group: WireId.optional(),
  scope: z.object({
    project: WireId.optional(),
    domain: WireId.optional(),
    system: z.looseObject({}).optional(),
    'OS-INHERIT:inherited_to': z.string().optional(),
  }),
})

/** The object that a role applies to. An inherited role applies to all projects in the domain, not to the domain. */
export type Place =
  | { on: 'project'; id: string }
  | { on: 'domain'; id: string; isInherited: boolean }
  | { on: 'system' }

/** A role assigned to a user or group. */
export interface Grant {
  role: { id: string; name: string }
  to: Grantee
  place: Place
}
export interface Grantee {
  kind: 'user' | 'group'
  id: string
}

const WireRole = z.object({ id: z.string(), name: z.string() })
const WireInference = z.object({ prior_role: WireId, implies: z.array(WireId) })

/** Roles in the cloud and the roles that they imply. Role names are case-insensitive, as they are in policies. */
export interface RoleBook {
  nameOf(id: string): string
  /** Returns the names of the role and all roles that it implies. */
  namesOf(id: string): string[]
  idOf(name: string): string | undefined
}

export async function readRoles(caller: ServiceClient, signal?: AbortSignal): Promise<RoleBook> {
  const names = new Map<string, string>()
  const options = signal ? { signal } : {}
  for await (const page of caller.pages('identity', '/roles', 'roles', WireRole, options))
    for (const { id, name } of page) names.set(id, name.toLowerCase())
  const shape = z.object({ role_inferences: z.array(WireInference) })
  const { role_inferences } = await caller.get('identity', '/role_inferences', shape, options)
  const implied = new Map(role_inferences.map((it) => [it.prior_role.id, it.implies.map(({ id }) => id)]))
  const allOf = (id: string, found = new Set<string>()): Set<string> => {
    if (found.has(id)) return found
    found.add(id)
    for (const next of implied.get(id) ?? []) allOf(next, found)
    return found
  }
  const nameOf = (id: string): string => names.get(id) ?? id
  return {
    nameOf,
    namesOf: (id) => [...allOf(id)].map(nameOf),
    idOf: (name) => [...names].find(([, it]) => it === name.toLowerCase())?.[0],
  }
}

function placeOf({ project, domain, system, ...rest }: z.output<typeof WireGrant>['scope']): Place | null {
  const isInherited = rest['OS-INHERIT:inherited_to'] !== undefined
  // ignore inheritance between projects, so that each project shows only its own roles
  if (project) return isInherited ? null : { on: 'project', id: project.id }
  if (domain) return { on: 'domain', id: domain.id, isInherited }
  return system ? { on: 'system' } : null
}

/** Reads the role assignments of a user or group, the assignments of a role, or all assignments. */
export async function readGrants(
  caller: ServiceClient,
  book: RoleBook,
  which?: { kind: Grantee['kind'] | 'role'; id: string },
  signal?: AbortSignal,
): Promise<Grant[]> {
  const found: Grant[] = []
  const options = { query: which ? { [`${which.kind}.id`]: which.id } : {}, ...(signal && { signal }) }
  for await (const page of caller.pages('identity', '/role_assignments', 'role_assignments', WireGrant, options))
    for (const { role, user, group, scope } of page) {
      const [id, kind] = user ? [user.id, 'user' as const] : [group?.id, 'group' as const]
      const place = placeOf(scope)
      if (id !== undefined && place)
        found.push({ role: { id: role.id, name: book.nameOf(role.id) }, to: { kind, id }, place })
    }
  return found
}
