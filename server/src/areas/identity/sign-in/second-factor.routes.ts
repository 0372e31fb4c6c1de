import { problem } from '@mainstay/contract/core/problems'
import { rightsOf } from '@mainstay/contract/identity/rights'
import { secondFactor } from '@mainstay/contract/identity/second-factor'
import { requireSystemAdministrator } from '@mainstay/contract/identity/user-rules'
import { userKind, type User } from '@mainstay/contract/identity/users'
import { serve } from '../../../http/serve'
import { readDirectory } from '../directory.service'

const { view } = readDirectory<User>(userKind)

export const secondFactorRoutes = serve(
  secondFactor,
  {
    state: ({ caller }, { sessions }) => sessions.ownSecondFactor.state(caller),
    begin: ({ caller, body, request }, { sessions }) =>
      sessions.ownSecondFactor.begin(caller, body.current_password, request.origin.address),
    confirm: async ({ caller, body }, { sessions }) => ({
      recovery_codes: await sessions.ownSecondFactor.confirm(caller, body.code),
    }),
    renewRecoveryCodes: async ({ caller, body, request }, { sessions }) => ({
      recovery_codes: await sessions.ownSecondFactor.renewCodes(caller, body.current_password, request.origin.address),
    }),
    remove: ({ caller, body, request }, { sessions }) =>
      sessions.ownSecondFactor.remove(caller, body.current_password, request.origin.address),

    async stateOfUser(call, tools) {
      const { is_on, since } = await tools.sessions.secondFactors.state((await view(call, tools)).id)
      return { is_on, since }
    },
    async reset(call, tools) {
      const user = await view(call, tools)
      if (user.id === call.caller.user.id) throw problem('identity.own_second_factor')
      requireSystemAdministrator(call.scope, { roles: rightsOf(user).system_permissions })
      await tools.sessions.secondFactors.remove(user.id)
    },
  },
  { about: 'second_factor' },
)
