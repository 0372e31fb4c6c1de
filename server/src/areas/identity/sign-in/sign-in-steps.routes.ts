import { signInSteps } from '@mainstay/contract/identity/sign-in-steps'
import { serve } from '../../../http/serve'
import { codesMail, passkeyMail } from './account-mails'
import { partyOf } from './party'
import { welcome } from './welcome'

/** Further steps in sign-ins for which a password is not sufficient. */
export const signInStepRoutes = serve(signInSteps, {
  secondFactor: async ({ body, request }, { sessions }) =>
    welcome(await sessions.passSecondFactor(body.challenge, body.code, request.origin), request, sessions),
  renewPassword: async ({ body, request }, { sessions }) =>
    welcome(await sessions.renewPassword(body.challenge, body.new_password, request.origin), request, sessions),

  beginCodes: ({ body }, { sessions }) => sessions.beginCodes(body.challenge),
  async confirmCodes({ body, request }, { sessions, mailer }) {
    const { session, recovery_codes } = await sessions.confirmCodes(body.challenge, body.code, request.origin)
    const { user, domain } = session.signedIn
    if (user.email !== null) await mailer.queue([user.email], codesMail(user.name, domain.name))
    return { user: welcome(session, request, sessions), recovery_codes }
  },
  beginPasskey: async ({ body, request }, tools) => ({
    publicKey: await tools.sessions.beginPasskey(body.challenge, partyOf(request, tools)),
  }),
  async addPasskey({ body, request }, { sessions, mailer }) {
    const session = await sessions.addPasskey(body.challenge, body.name, body.credential, request.origin)
    const { user, domain } = session.signedIn
    if (user.email !== null) await mailer.queue([user.email], passkeyMail(user.name, domain.name, body.name))
    return welcome(session, request, sessions)
  },
})
