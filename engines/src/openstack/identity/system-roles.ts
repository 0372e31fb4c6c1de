import * as z from 'zod'
import type { CallOptions, ServiceClient } from '../client/service-client'
import { WireAssignment } from './roles'

const WireSystemAssignment = WireAssignment.extend({
  user: z.object({ id: z.string() }).optional(),
  group: z.object({ id: z.string() }).optional(),
})
const WireGroup = z.object({ id: z.string() })

/**
 * Returns a user's system roles, including those from groups. Keystone omits them from `effective` lists, so this reads
 * all system assignments, of which there are few. It reads the user's groups only if a group has such a role. `alsoIn`:
 * groups that are listed only in the user's token.
 */
export async function systemRolesOf(
  caller: ServiceClient,
  userId: string,
  how: CallOptions,
  alsoIn: readonly string[] = [],
): Promise<WireAssignment[]> {
  const all: z.output<typeof WireSystemAssignment>[] = []
  const query = { 'scope.system': 'all', include_names: true }
  const options = { ...how, query }
  for await (const page of caller.pages(
    'identity',
    '/role_assignments',
    'role_assignments',
    WireSystemAssignment,
    options,
  ))
    all.push(...page)
  const groups = new Set(alsoIn)
  if (all.some(({ group }) => group)) {
    const path = `/users/${encodeURIComponent(userId)}/groups`
    for await (const page of caller.pages('identity', path, 'groups', WireGroup, how))
      for (const { id } of page) groups.add(id)
  }
  return all.filter(
    ({ scope, user, group }) => scope.system && (user?.id === userId || (group && groups.has(group.id))),
  )
}
