import { says } from '../core/said'
import * as z from 'zod'
import { endpoints } from '../core/endpoint'
import { NewPassword } from './password-rules'
import { CreationOptions, MadeCredential, PasskeyName } from './passkeys'
import { AppSecret, RecoveryCodes, SecondFactorCode } from './second-factor'
import { CurrentUser } from './session'

/*
 * Sign-ins that require more than a password. The first call is refused with an error code for the missing step
 * (`second_factor_required`, then `password_change_required`, then `second_factor_missing`) and with `data.challenge`.
 * The challenge continues the same sign-in; it can be used once, before it expires. No session exists until the last
 * step is complete.
 */

/** Lifetime of a challenge in minutes. */
export const CHALLENGE_MINUTES = 10

export const Challenge = z.string().regex(/^[A-Za-z0-9_-]{43}$/, says('identity.challenge_form'))

export const signInSteps = endpoints({
  secondFactor: {
    verb: 'POST',
    path: '/api/v2/login/second-factor',
    needs: 'public',
    summary: 'Continue a sign-in with a second factor. Takes a code of the authenticator app or a recovery code.',
    body: z.strictObject({ challenge: Challenge, code: SecondFactorCode }),
    reply: CurrentUser,
  },
  renewPassword: {
    verb: 'POST',
    path: '/api/v2/login/new-password',
    needs: 'public',
    summary: 'Continue a sign-in with a new password. For users who must change their password.',
    body: z.strictObject({ challenge: Challenge, new_password: NewPassword }),
    reply: CurrentUser,
  },
  beginCodes: {
    verb: 'POST',
    path: '/api/v2/login/codes/begin',
    needs: 'public',
    summary: 'Get a secret for an authenticator app during sign-in. For users who must set up a second factor.',
    body: z.strictObject({ challenge: Challenge }),
    reply: AppSecret,
    status: 201,
  },
  confirmCodes: {
    verb: 'POST',
    path: '/api/v2/login/codes',
    needs: 'public',
    summary: 'Set up an authenticator app during sign-in. Takes a first code and signs you in.',
    body: z.strictObject({ challenge: Challenge, code: SecondFactorCode }),
    reply: z.object({ user: CurrentUser, recovery_codes: RecoveryCodes.shape.recovery_codes }),
  },
  beginPasskey: {
    verb: 'POST',
    path: '/api/v2/login/new-passkey/begin',
    needs: 'public',
    summary: 'Get the options to create a passkey during sign-in. For users who must set up a second factor.',
    body: z.strictObject({ challenge: Challenge }),
    reply: z.object({ publicKey: CreationOptions }),
    status: 201,
  },
  addPasskey: {
    verb: 'POST',
    path: '/api/v2/login/new-passkey',
    needs: 'public',
    summary: 'Add a passkey during sign-in. Takes the credential that the browser created and signs you in.',
    body: PasskeyName.extend({ challenge: Challenge, credential: MadeCredential }),
    reply: CurrentUser,
  },
})
