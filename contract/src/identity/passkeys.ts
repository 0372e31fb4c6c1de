import { says } from '../core/said'
import * as z from 'zod'
import { endpoints, read, update } from '../core/endpoint'
import { isVisible, NOT_VISIBLE, Time } from '../core/names'
import { CurrentPassword } from './second-factor'
import { CurrentUser } from './session'

/*
 * Passkeys (WebAuthn) of local users: who has one signs in with it alone, since it asks for a finger, a face or a PIN and so is both
 * factors. Options and credentials have the names and forms of WebAuthn's own JSON: bytes as base64url.
 */

/** The most passkeys of one person. */
export const MOST_PASSKEYS = 20
/** How long a challenge is good for, minutes. */
export const PASSKEY_CHALLENGE_MINUTES = 5

/** Signatures that passkeys may make, as COSE names them: ES256, EdDSA, RS256. */
export const PASSKEY_ALGORITHMS = [-7, -8, -257] as const

const Base64url = (most: number) =>
  z
    .string()
    .min(1, says('identity.send_base64url'))
    .max(most, says('identity.passkey_too_long'))
    .regex(/^[A-Za-z0-9_-]+$/, says('identity.send_base64url'))

/** Of at most 1023 bytes. */
const CredentialId = Base64url(1364)
const ClientData = Base64url(4096)
const Transports = z.array(z.string().regex(/^[a-z-]{1,32}$/, says('identity.unknown_transport'))).max(8)

export const Passkey = z.object({
  id: z.string(),
  name: z.string(),
  /** Name of the host under which it was made; browsers offer it there alone. */
  host: z.string(),
  /** It is kept by an account elsewhere and is on several devices, as far as it says so. */
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

/** What a browser's `navigator.credentials.create` answers. */
export const MadeCredential = z.strictObject({
  id: CredentialId,
  response: z.strictObject({
    clientDataJSON: ClientData,
    attestationObject: Base64url(16_384),
    transports: Transports.default([]),
  }),
})
export type MadeCredential = z.infer<typeof MadeCredential>

/** What a browser's `navigator.credentials.get` answers. */
export const UsedCredential = z.strictObject({
  id: CredentialId,
  response: z.strictObject({
    clientDataJSON: ClientData,
    authenticatorData: Base64url(2048),
    signature: Base64url(1024),
    /** Whose passkey it says that it is. */
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
  /** Milliseconds. */
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
    summary: 'Passkeys of one’s own',
    reply: z.object({
      data: z.array(Passkey),
      /** False for who signs in through an identity provider, or by a cloud. */
      is_available: z.boolean(),
    }),
  },
  begin: {
    verb: 'POST',
    path: `${path}/challenge`,
    needs: update('account'),
    summary: 'What a browser makes a passkey by',
    body: CurrentPassword,
    reply: z.object({ publicKey: CreationOptions }),
    status: 201,
  },
  create: {
    verb: 'POST',
    path,
    needs: update('account'),
    summary: 'Add the passkey that a browser has made',
    body: PasskeyDraft,
    reply: Passkey,
    status: 201,
  },
  rename: {
    verb: 'PATCH',
    path: `${path}/:id`,
    needs: update('account'),
    summary: 'Give a passkey another name',
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
    summary: 'How many passkeys a user has',
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
    summary: 'Whether anybody can sign in by a passkey here',
    reply: z.object({ is_offered: z.boolean() }),
  },
  passkeyChallenge: {
    verb: 'POST',
    path: `${signIn}/challenge`,
    needs: 'public',
    summary: 'What a browser uses a passkey by',
    reply: z.object({ publicKey: RequestOptions }),
    status: 201,
  },
  passkey: {
    verb: 'POST',
    path: signIn,
    needs: 'public',
    summary: 'Sign in with a passkey, which is both factors',
    body: UsedCredential,
    reply: CurrentUser,
  },
})
