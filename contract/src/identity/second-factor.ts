import { says } from '../core/said'
import * as z from 'zod'
import { endpoints, read, update } from '../core/endpoint'
import { Time } from '../core/names'

/*
 * A second factor: codes of an authenticator app (RFC 6238: SHA-1, six digits, 30 s), and recovery codes for who has lost it. It is
 * asked for after a password; tokens for programs and identity providers know none.
 */

/** Recovery codes that are made at a time. */
export const RECOVERY_CODES = 10

export const SecondFactor = z.object({
  /** False for who signs in through an identity provider, or by a cloud. */
  is_available: z.boolean(),
  is_on: z.boolean(),
  /** Since when; null where it is off. */
  since: Time.nullable(),
  recovery_codes_left: z.number().int(),
})
export type SecondFactor = z.infer<typeof SecondFactor>

const current_password = z.string().min(1, says('identity.enter_your_password')).max(1024)
export const CurrentPassword = z.strictObject({ current_password })
export type CurrentPassword = z.infer<typeof CurrentPassword>

/** Six digits, or a recovery code; spaces and dashes do not count. */
export const SecondFactorCode = z
  .string()
  .trim()
  .min(6, says('identity.enter_code'))
  .max(40, says('identity.enter_code'))

export const RecoveryCodes = z.object({
  /** Told this once. */
  recovery_codes: z.array(z.string()),
})

export const AppSecret = z.object({
  /** Base32, for who types it. */
  secret: z.string(),
  /** `otpauth://totp/…`, for a QR code. */
  uri: z.string(),
})

const path = '/api/v2/accounts/second-factor'
const ofUser = '/api/v2/domains/:domain_id/users/:id/second-factor'

export const secondFactor = endpoints({
  state: { verb: 'GET', path, needs: 'signed-in', summary: 'The second factor of one’s own', reply: SecondFactor },
  begin: {
    verb: 'POST',
    path,
    needs: update('account'),
    summary: 'A secret for an authenticator app; nothing is asked for before it is confirmed',
    body: CurrentPassword,
    reply: AppSecret,
    status: 201,
  },
  confirm: {
    verb: 'POST',
    path: `${path}/confirm`,
    needs: update('account'),
    summary: 'Turn the second factor on, with a first code',
    body: z.strictObject({ code: SecondFactorCode }),
    reply: RecoveryCodes,
  },
  renewRecoveryCodes: {
    verb: 'POST',
    path: `${path}/recovery-codes`,
    needs: update('account'),
    summary: 'New recovery codes; those before are worth nothing then',
    body: CurrentPassword,
    reply: RecoveryCodes,
  },
  remove: {
    verb: 'DELETE',
    path,
    needs: update('account'),
    summary: 'Turn the second factor off',
    body: CurrentPassword,
    reply: z.void(),
  },
  stateOfUser: {
    verb: 'GET',
    path: ofUser,
    needs: read('domain_user'),
    summary: 'Whether a user has a second factor',
    reply: SecondFactor.pick({ is_on: true, since: true }),
  },
  reset: {
    verb: 'DELETE',
    path: ofUser,
    needs: update('domain_user'),
    summary: 'Take away the second factor of somebody who has lost it',
    reply: z.void(),
  },
})
