import { problem } from '@mainstay/contract/core/problems'
import type { Role } from '@mainstay/contract/permissions'
import * as z from 'zod'
import type { ServiceClient } from '../client/service-client'
import { assignmentsFor, projectRoleName } from './roles'

const WireRole = z.object({ id: z.string(), name: z.string() })

/** Assigns roles to a user. */
export interface Assigning {
  /** Assigns a role that is not limited to individual projects. Throws `unsupported` if the cloud has no such role. */
  give(userId: string, homeDomainId: string, role: Role): Promise<void>
  inProject(userId: string, projectId: string, role: Role): Promise<void>
}

export function createAssigning(caller: ServiceClient, adminProjectId: () => Promise<string>): Assigning {
  async function roleNamed(name: string): Promise<string> {
    for await (const rows of caller.pages('identity', '/roles', 'roles', WireRole, { query: { name } }))
      if (rows[0]) return rows[0].id
    throw problem('identity.cloud_role_missing', { name })
  }
  const assign = async (place: string, userId: string, name: string): Promise<void> => {
    const role = await roleNamed(name)
    await caller.send('PUT', 'identity', `${place}/users/${encodeURIComponent(userId)}/roles/${role}`, z.void())
  }
  const unknown = (role: Role) => problem('identity.cloud_role_unmapped', { role })

  return {
    async give(userId, homeDomainId, role) {
      const assignments = assignmentsFor(role)
      if (assignments.length === 0) throw unknown(role)
      for (const { on, name } of assignments) {
        const place =
          on === 'system'
            ? '/system'
            : on === 'domain'
              ? `/domains/${encodeURIComponent(homeDomainId)}`
              : `/projects/${encodeURIComponent(await adminProjectId())}`
        await assign(place, userId, name)
      }
    },
    async inProject(userId, projectId, role) {
      const name = projectRoleName(role)
      if (name === null) throw unknown(role)
      await assign(`/projects/${encodeURIComponent(projectId)}`, userId, name)
    },
  }
}
