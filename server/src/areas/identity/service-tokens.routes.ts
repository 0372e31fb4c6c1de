import { notFound, problem } from '@mainstay/contract/core/problems'
import { serviceTokens } from '@mainstay/contract/identity/service-tokens'
import { SERVICE_ACCOUNT } from '@mainstay/contract/identity/user-roles'
import { userKind, type User } from '@mainstay/contract/identity/users'
import type { Scope } from '@mainstay/engines/ports/scope'
import { serve } from '../../http/serve'
import { refuseInCloud } from '../../session/own-sessions'
import type { TokenOwner } from '../../session/program-tokens'
import type { Tools } from '../../tools'
import { readDirectory } from './directory.service'

const { view } = readDirectory<User>(userKind)

interface TokenCall {
  scope: Scope
  params: { domain_id: string; id: string }
}

/**
 * Returns the service account that a token call concerns. Throws `not_found`, and `conflict` if the account belongs to
 * a person, because only that person can create such tokens.
 */
async function ownerOf(call: TokenCall, tools: Tools): Promise<TokenOwner> {
  const { id, role } = await view(call, tools)
  if (role !== SERVICE_ACCOUNT) throw problem('identity.tokens_of_service_accounts')
  const user = await tools.identity.user(id)
  if (!user) throw notFound()
  return { user, external_provider: null }
}

export const serviceTokenRoutes = serve(
  serviceTokens,
  {
    async list(call, tools) {
      const { user } = await ownerOf(call, tools)
      return { data: await tools.sessions.programTokens.of(user.id), is_available: call.scope.credential === null }
    },
    async create(call, tools) {
      refuseInCloud(call)
      return tools.sessions.programTokens.make(await ownerOf(call, tools), call.body, call.request.origin)
    },
    async replace(call, tools) {
      refuseInCloud(call)
      const { token_id } = call.params
      const owner = await ownerOf(call, tools)
      return tools.sessions.programTokens.replace(owner, token_id, call.body.expires_at, call.request.origin)
    },
    async revoke(call, tools) {
      const { user } = await ownerOf(call, tools)
      await tools.sessions.programTokens.revoke(user.id, call.params.token_id)
    },
  },
  { about: 'token' },
)
