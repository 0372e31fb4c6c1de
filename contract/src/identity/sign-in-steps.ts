import { says } from '../core/said'
import * as z from 'zod'
import { endpoints } from '../core/endpoint'
import { NewPassword } from './password-rules'
import { CreationOptions, MadeCredential, PasskeyName } from './passkeys'
import { AppSecret, RecoveryCodes, SecondFactorCode } from './second-factor'
import { CurrentUser } from './session'

/*
 * A sign-in that the password alone does not complete. It is refused with a code that says what is missing
 * (`second_factor_required`, then `password_change_required`, then `second_factor_missing`), and with `data.challenge`: with it the same
 * sign-in goes on, once and soon. There is no session before the last step.
 */

/** How long a challenge is good for, minutes. */
export const CHALLENGE_MINUTES = 10

export const Challenge = z.string().regex(/^[A-Za-z0-9_-]{43}$/, says('identity.challenge_form'))

export const signInSteps = endpoints({
  secondFactor: {
    verb: 'POST',
    path: '/api/v2/login/second-factor',
    needs: 'public',
    summary: 'Go on with a code of the authenticator app, or a recovery code',
    body: z.strictObject({ challenge: Challenge, code: SecondFactorCode }),
    reply: CurrentUser,
  },
  renewPassword: {
    verb: 'POST',
    path: '/api/v2/login/new-password',
    needs: 'public',
    summary: 'Choose another password in the place of one that has to be changed, and sign in',
    body: z.strictObject({ challenge: Challenge, new_password: NewPassword }),
    reply: CurrentUser,
  },
  beginCodes: {
    verb: 'POST',
    path: '/api/v2/login/codes/begin',
    needs: 'public',
    summary: 'A secret for an authenticator app, for who has to set up a second factor to sign in',
    body: z.strictObject({ challenge: Challenge }),
    reply: AppSecret,
    status: 201,
  },
  confirmCodes: {
    verb: 'POST',
    path: '/api/v2/login/codes',
    needs: 'public',
    summary: 'Set up codes of an app with a first one, and sign in',
    body: z.strictObject({ challenge: Challenge, code: SecondFactorCode }),
    reply: z.object({ user: CurrentUser, recovery_codes: RecoveryCodes.shape.recovery_codes }),
  },
  beginPasskey: {
    verb: 'POST',
    path: '/api/v2/login/new-passkey/begin',
    needs: 'public',
    summary: 'What a browser makes a passkey by, for who has to set up a second factor to sign in',
    body: z.strictObject({ challenge: Challenge }),
    reply: z.object({ publicKey: CreationOptions }),
    status: 201,
  },
  addPasskey: {
    verb: 'POST',
    path: '/api/v2/login/new-passkey',
    needs: 'public',
    summary: 'Add the passkey that the browser has made, and sign in',
    body: PasskeyName.extend({ challenge: Challenge, credential: MadeCredential }),
    reply: CurrentUser,
  },
})
