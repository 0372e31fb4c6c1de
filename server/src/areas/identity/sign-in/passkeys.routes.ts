import { problem } from '@mainstay/contract/core/problems'
import { PASSKEY_CHALLENGE_MINUTES, passkeys, passkeySignIn } from '@mainstay/contract/identity/passkeys'
import { rightsOf } from '@mainstay/contract/identity/rights'
import { requireSystemAdministrator } from '@mainstay/contract/identity/user-rules'
import { userKind, type User } from '@mainstay/contract/identity/users'
import { serve } from '../../../http/serve'
import { readDirectory } from '../directory.service'
import { passkeyMail } from './account-mails'
import { partyOf } from './party'
import { welcome } from './welcome'

const { view } = readDirectory<User>(userKind)

export const passkeyRoutes = serve(
  passkeys,
  {
    own: ({ caller }, { sessions }) => sessions.ownPasskeys.list(caller),
    async begin({ caller, body, request }, tools) {
      const { address } = request.origin
      const party = partyOf(request, tools)
      return { publicKey: await tools.sessions.ownPasskeys.begin(caller, body.current_password, address, party) }
    },
    async create({ caller, body }, { sessions, mailer }) {
      const made = await sessions.ownPasskeys.add(caller, body.name, body.credential)
      const { user, domain } = caller
      if (user.email !== null) await mailer.queue([user.email], passkeyMail(user.name, domain.name, made.name))
      return made
    },
    rename: ({ caller, params, body }, { sessions }) => sessions.ownPasskeys.rename(caller, params.id, body.name),
    remove: ({ caller, params, body, request }, { sessions }) =>
      sessions.ownPasskeys.remove(caller, params.id, body.current_password, request.origin.address),

    ofUser: async (call, tools) => tools.sessions.passkeys.summaryOf((await view(call, tools)).id),
    async reset(call, tools) {
      const user = await view(call, tools)
      if (user.id === call.caller.user.id) throw problem('identity.own_passkeys')
      requireSystemAdministrator(call.scope, { roles: rightsOf(user).system_permissions })
      await tools.sessions.passkeys.removeAll(user.id)
    },
  },
  { about: 'passkey' },
)

export const passkeySignInRoutes = serve(passkeySignIn, {
  passkeyWay: async (_, { identity, sessions }) => ({
    is_offered: identity.directory !== null && (await sessions.passkeys.isAny()),
  }),

  async passkeyChallenge({ request }, tools) {
    const party = partyOf(request, tools)
    const challenge = await tools.sessions.passkeyChallenge(party, request.origin.address)
    // the subsequent sign-in is recorded instead
    request.leaveUnrecorded()
    return {
      publicKey: {
        challenge,
        rpId: party.host,
        timeout: PASSKEY_CHALLENGE_MINUTES * 60_000,
        userVerification: 'required' as const,
      },
    }
  },

  passkey: async ({ body, request }, { sessions }) =>
    welcome(await sessions.signInByPasskey(body, request.origin), request, sessions),
})
