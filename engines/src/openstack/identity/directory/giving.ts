import { Problem, problem } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { ServiceClient } from '../../client/service-client'
import { readRoles, type Grant, type Grantee, type Place, type RoleBook } from './grants'
import type { Wanted } from './rights'
import type { Step } from './steps'
import { WireId } from './wire'
import { at } from './world'

type Send = ServiceClient['send']

/** Roles that only Mainstay uses. They are created in the cloud when first assigned. */
const ownRoles: ReadonlySet<string> = new Set(['project_admin', 'service_account', 'image_upload', 'quota_manager'])
/** Description of these roles in the cloud. */
export const ownRoleDescription = 'A role of the Mainstay console'

const pathOf = (place: Place, { kind, id }: Grantee, role: string): string => {
  const where =
    place.on === 'system' ? '/system' : place.on === 'project' ? at('projects', place.id) : at('domains', place.id)
  return `${where}/${kind}s/${encodeURIComponent(id)}/roles/${encodeURIComponent(role)}`
}

/**
 * Creates a role with the service account, because callers may lack permission. If another server has just created the
 * role, returns its ID.
 */
async function makeRole(caller: ServiceClient, name: string): Promise<string> {
  const body = { role: { name, description: ownRoleDescription } }
  try {
    return (await caller.send('POST', 'identity', '/roles', z.object({ role: WireId }), { body })).role.id
  } catch (error) {
    const id = (await readRoles(caller)).idOf(name)
    if (id === undefined) throw error
    return id
  }
}

async function roleId(caller: ServiceClient, book: RoleBook, name: string): Promise<string> {
  const known = book.idOf(name)
  if (known !== undefined) return known
  if (ownRoles.has(name)) return makeRole(caller, name)
  throw problem('identity.cloud_marker_role_missing', { name })
}

const nothingThere = (error: unknown): void => {
  if (!(error instanceof Problem) || error.code !== 'not_found') throw error
}

/** Assigns and revokes roles with the caller's token. Assigns first, so that no one is temporarily without a role. */
export async function changeGrants(
  { step, send, caller, book }: { step: Step; send: Send; caller: ServiceClient; book: RoleBook },
  to: Grantee,
  { give, take }: { give: readonly Wanted[]; take: readonly Grant[] },
): Promise<void> {
  for (const { name, place } of give) {
    const path = pathOf(place, to, await roleId(caller, book, name))
    await step(
      () => send('PUT', 'identity', path, z.void()),
      () => send('DELETE', 'identity', path, z.void()),
    )
  }
  for (const { role, place } of take) {
    const path = pathOf(place, to, role.id)
    await step(
      () => send('DELETE', 'identity', path, z.void()).catch(nothingThere),
      () => send('PUT', 'identity', path, z.void()),
    )
  }
}
