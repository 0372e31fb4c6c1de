import { says } from '../core/said'
import * as z from 'zod'
import { endpoints, read, update } from '../core/endpoint'
import { isVisible, NOT_VISIBLE, Time } from '../core/names'
import { CurrentPassword } from './second-factor'
import { CurrentUser } from './session'

/*
 * Passkeys (WebAuthn) of local users. A passkey alone is sufficient to sign in: it requires a fingerprint, a face scan
 * or a PIN, so it counts as both factors. Options and credentials have the JSON format of WebAuthn, with bytes as
 * base64url.
 */

/** Maximum number of passkeys per user. */
export const MOST_PASSKEYS = 20
/** Lifetime of a challenge in minutes. */
export const PASSKEY_CHALLENGE_MINUTES = 5

/** Allowed signature algorithms as COSE identifiers: ES256, EdDSA, RS256. */
export const PASSKEY_ALGORITHMS = [-7, -8, -257] as const

const Base64url = (most: number) =>
  z
    .string()
    .min(1, says('identity.send_base64url'))
    .max(most, says('identity.passkey_too_long'))
    .regex(/^[A-Za-z0-9_-]+$/, says('identity.send_base64url'))

/** At most 1023 bytes. */
const CredentialId = Base64url(1364)
const ClientData = Base64url(4096)
const Transports = z.array(z.string().regex(/^[a-z-]{1,32}$/, says('identity.unknown_transport'))).max(8)

export const Passkey = z.object({
  id: z.string(),
  name: z.string(),
  /** Host name for which the passkey was created; browsers offer it only there. */
  host: z.string(),
  /** Whether the passkey is synced across devices, as reported by the authenticator. */
  is_synced: z.boolean(),
  created_at: Time,
  last_used_at: Time.nullable(),
})
export type Passkey = z.infer<typeof Passkey>

const name = z
  .string()
  .trim()
  .min(1, says('core.enter_name'))
  .max(64, says('core.too_long', { most: 64 }))
  .regex(isVisible, NOT_VISIBLE)
  .meta({ examples: ['laptop'] })
export const PasskeyName = z.strictObject({ name })

/** Result of `navigator.credentials.create` in the browser. */
export const MadeCredential = z.strictObject({
  id: CredentialId,
  response: z.strictObject({
    clientDataJSON: ClientData,
    attestationObject: Base64url(16_384),
    transports: Transports.default([]),
  }),
})
export type MadeCredential = z.infer<typeof MadeCredential>

/** Result of `navigator.credentials.get` in the browser. */
export const UsedCredential = z.strictObject({
  id: CredentialId,
  response: z.strictObject({
    clientDataJSON: ClientData,
    authenticatorData: Base64url(2048),
    signature: Base64url(1024),
    /** ID of the user that the passkey claims to belong to. */
    userHandle: Base64url(128),
  }),
})
export type UsedCredential = z.infer<typeof UsedCredential>

const PasskeyDraft = z.strictObject({ name, credential: MadeCredential }).meta({
  examples: [
    {
      name: 'laptop',
      credential: {
        id: 'AAAA',
        response: { clientDataJSON: 'e30', attestationObject: 'oA', transports: ['internal'] },
      },
    },
  ],
})

const KnownCredential = z.object({ type: z.literal('public-key'), id: z.string(), transports: z.array(z.string()) })

/** `PublicKeyCredentialCreationOptionsJSON`. */
export const CreationOptions = z.object({
  challenge: z.string(),
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.number().int() })),
  /** In milliseconds. */
  timeout: z.number().int(),
  excludeCredentials: z.array(KnownCredential),
  authenticatorSelection: z.object({
    residentKey: z.literal('required'),
    requireResidentKey: z.literal(true),
    userVerification: z.literal('required'),
  }),
  attestation: z.literal('none'),
})
export type CreationOptions = z.infer<typeof CreationOptions>

/** `PublicKeyCredentialRequestOptionsJSON`. */
export const RequestOptions = z.object({
  challenge: z.string(),
  rpId: z.string(),
  timeout: z.number().int(),
  userVerification: z.literal('required'),
})
export type RequestOptions = z.infer<typeof RequestOptions>

const path = '/api/v2/accounts/passkeys'
const ofUser = '/api/v2/domains/:domain_id/users/:id/passkeys'

export const passkeys = endpoints({
  own: {
    verb: 'GET',
    path,
    needs: 'signed-in',
    summary: 'List your passkeys',
    reply: z.object({
      data: z.array(Passkey),
      /** False for users who sign in through an identity provider or a cloud. */
      is_available: z.boolean(),
    }),
  },
  begin: {
    verb: 'POST',
    path: `${path}/challenge`,
    needs: update('account'),
    summary: 'Get the options to create a passkey. Pass them to `navigator.credentials.create` in the browser.',
    body: CurrentPassword,
    reply: z.object({ publicKey: CreationOptions }),
    status: 201,
  },
  create: {
    verb: 'POST',
    path,
    needs: update('account'),
    summary: 'Add a passkey. Takes the credential that the browser created.',
    body: PasskeyDraft,
    reply: Passkey,
    status: 201,
  },
  rename: {
    verb: 'PATCH',
    path: `${path}/:id`,
    needs: update('account'),
    summary: 'Rename a passkey',
    body: PasskeyName,
    reply: Passkey,
  },
  remove: {
    verb: 'DELETE',
    path: `${path}/:id`,
    needs: update('account'),
    summary: 'Remove a passkey',
    body: CurrentPassword,
    reply: z.void(),
  },
  ofUser: {
    verb: 'GET',
    path: ofUser,
    needs: read('domain_user'),
    summary: 'Get the number of passkeys of a user',
    reply: z.object({ count: z.number().int(), last_used_at: Time.nullable() }),
  },
  reset: {
    verb: 'DELETE',
    path: ofUser,
    needs: update('domain_user'),
    summary: 'Remove all passkeys of a user',
    reply: z.void(),
  },
})

const signIn = '/api/v2/login/passkey'

export const passkeySignIn = endpoints({
  passkeyWay: {
    verb: 'GET',
    path: signIn,
    needs: 'public',
    summary: 'Check whether sign-in with a passkey is available',
    reply: z.object({ is_offered: z.boolean() }),
  },
  passkeyChallenge: {
    verb: 'POST',
    path: `${signIn}/challenge`,
    needs: 'public',
    summary: 'Get the options to sign in with a passkey. Pass them to `navigator.credentials.get` in the browser.',
    reply: z.object({ publicKey: RequestOptions }),
    status: 201,
  },
  passkey: {
    verb: 'POST',
    path: signIn,
    needs: 'public',
    summary: 'Sign in with a passkey. No second factor is required.',
    body: UsedCredential,
    reply: CurrentUser,
  },
})
