import { problem } from '@mainstay/contract/core/problems'
import { signInRules } from '@mainstay/contract/identity/sign-in-rules'
import { domainKind } from '@mainstay/contract/identity/domains'
import type { Scope } from '@mainstay/engines/ports/scope'
import { serve } from '../../http/serve'
import type { Tools } from '../../tools'
import { directoryOf } from './directory.service'

/**
 * Checks access to the sign-in rules of a domain. Throws `not_found` if the domain is outside the scope, and
 * `unsupported` if a cloud authenticates the users.
 */
async function requireOwn(scope: Scope, domainId: string, tools: Tools): Promise<void> {
  if (directoryOf(tools).passwordLinks === null) throw problem('identity.sign_in_rules_of_cloud')
  await tools.inventory.view(domainKind, scope, domainId)
}
const rulesOf = async (domainId: string, { sessions: { signInRules: rules } }: Tools) => ({
  second_factor: await rules.secondFactorOf(domainId),
  users_without: await rules.usersWithout(domainId),
})

export const signInRuleRoutes = serve(
  signInRules,
  {
    async view({ scope, params }, tools) {
      await requireOwn(scope, params.domain_id, tools)
      return rulesOf(params.domain_id, tools)
    },
    async set({ scope, params, body }, tools) {
      await requireOwn(scope, params.domain_id, tools)
      await tools.sessions.signInRules.setSecondFactor(params.domain_id, body.second_factor)
      return rulesOf(params.domain_id, tools)
    },
  },
  { about: 'sign_in_rules' },
)
