import { signInSteps } from '@mainstay/contract/identity/sign-in-steps'
import { serve } from '../../../http/serve'
import { welcome } from './welcome'

/** How a sign-in goes on that the password alone does not complete. */
export const signInStepRoutes = serve(signInSteps, {
  secondFactor: async ({ body, request }, { sessions }) =>
    welcome(await sessions.passSecondFactor(body.challenge, body.code, request.origin), request, sessions),
  renewPassword: async ({ body, request }, { sessions }) =>
    welcome(await sessions.renewPassword(body.challenge, body.new_password, request.origin), request, sessions),
})
