import { PASSKEY_ALGORITHMS, type MadeCredential, type UsedCredential } from '@mainstay/contract/identity/passkeys'
import * as z from 'zod'
import type { RelyingParty } from './relying-party'

/*
 * What browsers and passkeys answer, checked by @simplewebauthn/server, which is loaded when somebody first has a passkey. What is
 * refused is said in our words. Nobody is asked who has built a passkey, so no statement about that is looked at: its certificates
 * name addresses to be asked.
 */

/** A key of RSA has 4096 bits at most: a longer one would be work for whoever checks its signatures. */
const MOST_KEY_BYTES = 600

/** Of a passkey that was just made. */
export interface NewPasskey {
  credentialId: Buffer
  publicKey: Buffer
  counter: number
  transports: string[]
  isSynced: boolean
}

/** Why an answer is refused, for people. */
export class PasskeyFault extends Error {}

const ClientData = z.object({
  type: z.string(),
  challenge: z.string(),
  origin: z.string(),
  crossOrigin: z.boolean().optional(),
})

/** Throws `PasskeyFault` for what is no JSON of a browser's. */
function clientDataOf(encoded: string): z.infer<typeof ClientData> {
  try {
    return ClientData.parse(JSON.parse(Buffer.from(encoded, 'base64url').toString()))
  } catch {
    throw new PasskeyFault('what the browser says of it cannot be read')
  }
}

/** The challenge that was answered. Throws `PasskeyFault`. */
export const challengeOf = ({ response }: { response: { clientDataJSON: string } }): string =>
  clientDataOf(response.clientDataJSON).challenge

/** What can be said of an answer before it is looked into. */
function checkPage(encoded: string, type: 'webauthn.create' | 'webauthn.get', { origin }: RelyingParty): string {
  const said = clientDataOf(encoded)
  if (said.type !== type) throw new PasskeyFault('it was used for something else')
  if (said.origin !== origin) throw new PasskeyFault(`it was used on another page, of ${said.origin.slice(0, 255)}`)
  if (said.crossOrigin) throw new PasskeyFault('it was used inside a page of somebody else’s')
  return said.challenge
}

/** Runs the library, whose refusals are for programmers. */
async function inOurWords<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof PasskeyFault) throw error
    const said = error instanceof Error ? error.message : ''
    if (/user verification/i.test(said)) throw new PasskeyFault('it has not asked for a finger, a face or a PIN')
    if (/RP ?ID/i.test(said) || (error instanceof Error && error.name === 'UnexpectedRPIDHash'))
      throw new PasskeyFault('it is one of another host')
    throw new PasskeyFault('it is damaged, or of a kind that is not known here')
  }
}

/** What a browser has made. Throws `PasskeyFault`. */
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
    if (!verified) throw new PasskeyFault('it does not fit')
    const { credential, credentialBackedUp } = registrationInfo
    if (credential.id !== id) throw new PasskeyFault('it says that it is another one')
    if (credential.publicKey.length > MOST_KEY_BYTES) throw new PasskeyFault('its key is too long')
    return {
      credentialId: Buffer.from(credential.id, 'base64url'),
      publicKey: Buffer.from(credential.publicKey),
      counter: credential.counter,
      transports: response.transports,
      isSynced: credentialBackedUp,
    }
  })

/** What a passkey has signed. Answers its counter, which is for the caller to hold against the last one. Throws `PasskeyFault`. */
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
    if (!verified) throw new PasskeyFault('its signature is wrong')
    return { counter: authenticationInfo.newCounter, isSynced: authenticationInfo.credentialBackedUp }
  })
