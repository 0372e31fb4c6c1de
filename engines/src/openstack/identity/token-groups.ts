import * as z from 'zod'
import type { Records } from '../../ports/records'
import type { CallOptions, ServiceClient } from '../client/service-client'
import { WireAssignment } from './roles'
import { WireProject } from './wire'

/*
 * Groups that an identity provider's mapping assigns are listed in the token from the sign-in. Unless Keystone is
 * configured to keep them (`authorization_ttl`), it does not store them, and it does not list the resulting roles.
 */
const KIND = 'identity.token-groups'

interface Kept {
  groups: string[]
  /** When the token that listed them expires. */
  until: string
}

const WireGroupAssignment = WireAssignment.extend({
  scope: WireAssignment.shape.scope.extend({ 'OS-INHERIT:inherited_to': z.string().optional() }),
})

export interface TokenGroups {
  /** Replaces a user's groups with those from a new sign-in. */
  told(userId: string, groups: readonly string[], until: Date): Promise<void>
  of(userId: string): Promise<string[]>
  /**
   * Returns the roles of these groups on projects and domains. Inherited roles apply to every project in the domain.
   */
  assignments(groups: readonly string[]): Promise<WireAssignment[]>
}

export function createTokenGroups(caller: ServiceClient, records: Records, how: CallOptions): TokenGroups {
  async function rolesOfGroup(id: string): Promise<WireAssignment[]> {
    const found: WireAssignment[] = []
    const options = { ...how, query: { 'group.id': id, include_names: true } }
    for await (const page of caller.pages(
      'identity',
      '/role_assignments',
      'role_assignments',
      WireGroupAssignment,
      options,
    ))
      for (const { role, scope } of page) {
        if (scope['OS-INHERIT:inherited_to'] === undefined) found.push({ role, scope })
        else if (scope.domain)
          for (const project of await projectsIn(scope.domain.id))
            found.push({ role, scope: { project: { id: project } } })
      }
    return found
  }

  async function projectsIn(domain_id: string): Promise<string[]> {
    const ids: string[] = []
    for await (const page of caller.pages('identity', '/projects', 'projects', WireProject, {
      ...how,
      query: { domain_id },
    }))
      ids.push(...page.map(({ id }) => id))
    return ids
  }

  return {
    told: (userId, groups, until) =>
      records.transaction(async (tx) => {
        const kept: Kept = { groups: [...groups], until: until.toISOString() }
        if (groups.length > 0) return tx.putPrivate(KIND, userId, kept)
        if (await tx.getPrivate<Kept>(KIND, userId)) await tx.removePrivate(KIND, userId)
      }),
    async of(userId) {
      const kept = await records.transaction((tx) => tx.getPrivate<Kept>(KIND, userId))
      return kept && Date.parse(kept.until) > Date.now() ? kept.groups : []
    },
    assignments: async (groups) => (await Promise.all(groups.map(rolesOfGroup))).flat(),
  }
}
