import { nameOfRole } from '@mainstay/contract/identity/access-roles'
import { DEFAULT_DOMAIN_ID } from '@mainstay/contract/identity/default-domain'
import { systemAccounts, type SystemAccount } from '@mainstay/contract/identity/system-accounts'
import { isBuiltIn } from '@mainstay/contract/identity/user-roles'
import { userKind, type User } from '@mainstay/contract/identity/users'
import { notFound } from '@mainstay/contract/core/problems'
import type { Scope } from '@mainstay/engines/ports/scope'
import { serve } from '../../http/serve'
import type { Tools } from '../../tools'
import { directoryOf, readDirectory } from './directory.service'
import { createUser, updateUser } from './users.routes'

const fromIndex = readDirectory<User>(userKind)
const domain_id = DEFAULT_DOMAIN_ID
/** Filter for users with system permissions, granted directly or through a group. */
const withSystemPermissions = 'in:system_admin,viewer,custom'

const accountOf = (user: User): SystemAccount => ({
  id: user.id,
  name: user.name,
  description: user.description,
  is_enabled: user.enabled,
  is_superuser: isBuiltIn(user),
  is_group: false,
  roles: user.system_permissions.map((id) => ({ id, name: nameOfRole(id) })),
})

/** Returns an account. Throws `not_found` for users without system permissions, as for unknown IDs. */
async function viewAccount(scope: Scope, id: string, tools: Tools): Promise<User> {
  const user = await fromIndex.view({ scope, params: { domain_id, id } }, tools)
  if (!['system_admin', 'viewer', 'custom'].includes(user.role)) throw notFound()
  return user
}

export const systemAccountRoutes = serve(
  systemAccounts,
  {
    async list({ scope, query }, tools) {
      const found = await fromIndex.list(
        { scope, params: { domain_id }, query: { ...query, role: withSystemPermissions } },
        tools,
      )
      return { ...found, data: found.data.map(accountOf) }
    },
    view: async ({ scope, params }, tools) => accountOf(await viewAccount(scope, params.id, tools)),
    async create({ scope, body }, tools) {
      const { name, password, description, is_enabled: enabled, roles: system_permissions } = body[0]!
      const rights = { system_permissions, domain_permissions: [], assigned_projects: [] }
      const draft = { name, password, must_change_password: false, description, enabled, email: null, ...rights }
      return [accountOf(await createUser({ scope, params: { domain_id }, body: draft }, tools))]
    },
    async update({ scope, params: { id }, body }, tools) {
      await viewAccount(scope, id, tools)
      const { is_enabled: enabled, roles: system_permissions, ...change } = body
      const changed = {
        ...change,
        ...(enabled !== undefined && { enabled }),
        ...(system_permissions && { system_permissions }),
      }
      return accountOf(await updateUser({ scope, params: { domain_id, id }, body: changed }, tools))
    },
    async delete({ scope, params: { id } }, tools) {
      await viewAccount(scope, id, tools)
      await directoryOf(tools).users.delete(scope, domain_id, id)
    },
  },
  { kind: userKind },
)
