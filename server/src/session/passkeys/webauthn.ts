import { PASSKEY_ALGORITHMS, type MadeCredential, type UsedCredential } from '@mainstay/contract/identity/passkeys'
import * as z from 'zod'
import type { RelyingParty } from './relying-party'

/*
 * Verifies browsers' responses with @simplewebauthn/server, which is loaded on first use. Its errors are replaced with
 * our own messages. Attestation statements are ignored, because the URLs in their certificates would be fetched.
 */

/** Allows RSA keys of up to 4096 bits. Verification with longer ones would be expensive. */
const MOST_KEY_BYTES = 600

/** A newly created passkey. */
export interface NewPasskey {
  credentialId: Buffer
  publicKey: Buffer
  counter: number
  transports: string[]
  isSynced: boolean
}

/** The reason why a passkey was refused, as shown to the user. */
export class PasskeyFault extends Error {}

const ClientData = z.object({
  type: z.string(),
  challenge: z.string(),
  origin: z.string(),
  crossOrigin: z.boolean().optional(),
})

/** Parses the client data of a response. Throws `PasskeyFault` if it is not valid JSON. */
function clientDataOf(encoded: string): z.infer<typeof ClientData> {
  try {
    return ClientData.parse(JSON.parse(Buffer.from(encoded, 'base64url').toString()))
  } catch {
    throw new PasskeyFault('the browser sent data that cannot be read')
  }
}

/** The challenge in a response. Throws `PasskeyFault`. */
export const challengeOf = ({ response }: { response: { clientDataJSON: string } }): string =>
  clientDataOf(response.clientDataJSON).challenge

/** Checks the type and the origin before the response is verified. */
function checkPage(encoded: string, type: 'webauthn.create' | 'webauthn.get', { origin }: RelyingParty): string {
  const said = clientDataOf(encoded)
  if (said.type !== type) throw new PasskeyFault('it was created for a different operation')
  if (said.origin !== origin) throw new PasskeyFault(`it was used on another page: ${said.origin.slice(0, 255)}`)
  if (said.crossOrigin) throw new PasskeyFault('it was used in a frame of another website')
  return said.challenge
}

/** Runs the library and replaces its technical error messages. */
async function inOurWords<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof PasskeyFault) throw error
    const said = error instanceof Error ? error.message : ''
    if (/user verification/i.test(said)) throw new PasskeyFault('it did not verify you by fingerprint, face or PIN')
    if (/RP ?ID/i.test(said) || (error instanceof Error && error.name === 'UnexpectedRPIDHash'))
      throw new PasskeyFault('it belongs to another host')
    throw new PasskeyFault('it is damaged or not of a supported type')
  }
}

/** Verifies a new passkey. Throws `PasskeyFault`. */
export const verifyMade = ({ id, response }: MadeCredential, party: RelyingParty): Promise<NewPasskey> =>
  inOurWords(async () => {
    const expectedChallenge = checkPage(response.clientDataJSON, 'webauthn.create', party)
    const [{ verifyRegistrationResponse }, { decodeAttestationObject, isoCBOR }] = await Promise.all([
      import('@simplewebauthn/server'),
      import('@simplewebauthn/server/helpers'),
    ])
    const made = decodeAttestationObject(new Uint8Array(Buffer.from(response.attestationObject, 'base64url')))
    const unattested = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', made.get('authData')],
    ])
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
        response: {
          clientDataJSON: response.clientDataJSON,
          attestationObject: Buffer.from(isoCBOR.encode(unattested as never)).toString('base64url'),
        },
      },
      ...{ expectedChallenge, expectedOrigin: party.origin, expectedRPID: party.host },
      requireUserVerification: true,
      supportedAlgorithmIDs: [...PASSKEY_ALGORITHMS],
    })
    if (!verified) throw new PasskeyFault('it could not be verified')
    const { credential, credentialBackedUp } = registrationInfo
    if (credential.id !== id) throw new PasskeyFault('its ID does not match')
    if (credential.publicKey.length > MOST_KEY_BYTES) throw new PasskeyFault('its key is too long')
    return {
      credentialId: Buffer.from(credential.id, 'base64url'),
      publicKey: Buffer.from(credential.publicKey),
      counter: credential.counter,
      transports: response.transports,
      isSynced: credentialBackedUp,
    }
  })

/**
 * Verifies a signature. Returns the counter, which the caller must compare with the previous one. Throws
 * `PasskeyFault`.
 */
export const verifyUsed = (
  { id, response }: UsedCredential,
  party: RelyingParty,
  publicKey: Buffer,
): Promise<{ counter: number; isSynced: boolean }> =>
  inOurWords(async () => {
    const expectedChallenge = checkPage(response.clientDataJSON, 'webauthn.get', party)
    const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} }, response },
      ...{ expectedChallenge, expectedOrigin: party.origin, expectedRPID: party.host },
      requireUserVerification: true,
      credential: { id, publicKey: new Uint8Array(publicKey), counter: 0 },
    })
    if (!verified) throw new PasskeyFault('its signature is not valid')
    return { counter: authenticationInfo.newCounter, isSynced: authenticationInfo.credentialBackedUp }
  })
