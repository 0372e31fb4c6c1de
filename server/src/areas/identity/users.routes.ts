import { rightsOf } from '@mainstay/contract/identity/rights'
import { requireSystemAdministrator } from '@mainstay/contract/identity/user-rules'
import type { User, UserChange, UserDraft } from '@mainstay/contract/identity/users'
import { domainKind, type Domain } from '@mainstay/contract/identity/domains'
import { resources } from '@mainstay/contract/resources'
import type { Scope } from '@mainstay/engines/ports/scope'
import { requireParent } from '../../http/rows/parents'
import { serveResource } from '../../http/serve-resource'
import { userKey } from '../../session/authenticators'
import { refuseCommonPassword } from '../../session/passwords/common-passwords'
import type { Tools } from '../../tools'
import { changeRights, directoryOf, readDirectory } from './directory.service'

const { kind } = resources.users
const fromIndex = readDirectory<User>(kind)

/** Refuses passwords that are common or based on the name of the user or domain. */
async function checkPassword(scope: Scope, domainId: string, password: string, name: string, { inventory }: Tools) {
  const domain = await inventory.view<Domain>(domainKind, scope, domainId)
  await refuseCommonPassword('password', password, [name, domain.name])
}

interface CreateCall {
  scope: Scope
  params: { domain_id: string }
  body: UserDraft
}

/** Creates a user. Throws the engine's errors, and a `validation` error for a common password. */
export async function createUser({ scope, params, body }: CreateCall, tools: Tools): Promise<User> {
  const { users } = directoryOf(tools)
  const domainId = await requireParent(kind, scope, params, tools)
  if (body.password !== undefined) await checkPassword(scope, domainId, body.password, body.name, tools)
  return users.create(scope, domainId, body)
}

interface UpdateCall {
  scope: Scope
  params: { domain_id: string; id: string }
  body: UserChange
}

/** Returns the key under which a user's failed sign-ins are counted. */
async function failuresOf(call: { scope: Scope; params: { domain_id: string; id: string } }, tools: Tools) {
  const user = await fromIndex.view(call, tools)
  const domain = await tools.inventory.view<Domain>(domainKind, call.scope, user.domain_id)
  return userKey(domain.name, user.name)
}

/**
 * Updates a user with the same checks as on creation. A new password ends the user's sessions. A first system
 * permission also revokes access that others may have left in the account, such as tokens and passkeys.
 */
export async function updateUser({ scope, params, body }: UpdateCall, tools: Tools): Promise<User> {
  const { name, domain_id } = await fromIndex.view({ scope, params }, tools)
  const { id } = params
  if (body.password !== undefined) await checkPassword(scope, domain_id, body.password, body.name ?? name, tools)
  const update = () => directoryOf(tools).users.update(scope, domain_id, id, body)
  const user = body.system_permissions?.length ? await changeRights([id], tools, update) : await update()
  // someone else may have signed in with the old password
  if (body.password !== undefined || body.must_change_password) await tools.sessions.endOf(id)
  return user
}

export const userRoutes = serveResource(resources.users, (tools) => directoryOf(tools).users, {
  ...fromIndex,
  create: createUser,
  update: updateUser,
  replace: updateUser,
  lock: async (call, tools) => tools.sessions.lockOf(await failuresOf(call, tools)),
  async unlock(call, tools) {
    requireSystemAdministrator(call.scope, { roles: rightsOf(await fromIndex.view(call, tools)).system_permissions })
    await tools.sessions.unlock(await failuresOf(call, tools))
  },
})
