import { says } from '../core/said'
import * as z from 'zod'
import { endpoints, read, update } from '../core/endpoint'
import { Time } from '../core/names'

/*
 * Second factor: codes from an authenticator app (RFC 6238: SHA-1, six digits, 30 s), and recovery codes for users who
 * no longer have it. Required after a password, but not for API tokens or sign-ins through an identity provider.
 */

/** Number of recovery codes created at a time. */
export const RECOVERY_CODES = 10

export const SecondFactor = z.object({
  /** False for users who sign in through an identity provider or a cloud. */
  is_available: z.boolean(),
  is_on: z.boolean(),
  /** Time of activation; null if it is off. */
  since: Time.nullable(),
  recovery_codes_left: z.number().int(),
})
export type SecondFactor = z.infer<typeof SecondFactor>

const current_password = z.string().min(1, says('identity.enter_your_password')).max(1024)
export const CurrentPassword = z.strictObject({ current_password })
export type CurrentPassword = z.infer<typeof CurrentPassword>

/** Six digits, or a recovery code; spaces and dashes are ignored. */
export const SecondFactorCode = z
  .string()
  .trim()
  .min(6, says('identity.enter_code'))
  .max(40, says('identity.enter_code'))

export const RecoveryCodes = z.object({
  /** Returned only once. */
  recovery_codes: z.array(z.string()),
})

export const AppSecret = z.object({
  /** Base32, for manual entry. */
  secret: z.string(),
  /** `otpauth://totp/…`, for a QR code. */
  uri: z.string(),
})

const path = '/api/v2/accounts/second-factor'
const ofUser = '/api/v2/domains/:domain_id/users/:id/second-factor'

export const secondFactor = endpoints({
  state: { verb: 'GET', path, needs: 'signed-in', summary: 'Get your second factor', reply: SecondFactor },
  begin: {
    verb: 'POST',
    path,
    needs: update('account'),
    summary:
      'Start setting up a second factor. Returns a secret for an authenticator app. Confirm with a code to turn it on.',
    body: CurrentPassword,
    reply: AppSecret,
    status: 201,
  },
  confirm: {
    verb: 'POST',
    path: `${path}/confirm`,
    needs: update('account'),
    summary: 'Turn on the second factor. Takes a code of the authenticator app.',
    body: z.strictObject({ code: SecondFactorCode }),
    reply: RecoveryCodes,
  },
  renewRecoveryCodes: {
    verb: 'POST',
    path: `${path}/recovery-codes`,
    needs: update('account'),
    summary: 'Create new recovery codes. The previous codes stop working.',
    body: CurrentPassword,
    reply: RecoveryCodes,
  },
  remove: {
    verb: 'DELETE',
    path,
    needs: update('account'),
    summary: 'Turn off the second factor',
    body: CurrentPassword,
    reply: z.void(),
  },
  stateOfUser: {
    verb: 'GET',
    path: ofUser,
    needs: read('domain_user'),
    summary: 'Check whether a user has a second factor',
    reply: SecondFactor.pick({ is_on: true, since: true }),
  },
  reset: {
    verb: 'DELETE',
    path: ofUser,
    needs: update('domain_user'),
    summary: 'Remove the second factor of a user',
    reply: z.void(),
  },
})
