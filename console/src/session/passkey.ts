import type {
  CreationOptions,
  MadeCredential,
  RequestOptions,
  UsedCredential,
} from '@mainstay/contract/identity/passkeys'

/*
 * Browser passkeys, loaded on demand. Options and results use the WebAuthn JSON format, in which bytes are base64url,
 * but are converted here: `parseCreationOptionsFromJSON` and `toJSON` are not widely supported yet.
 */

/** Why this page cannot use passkeys, or why creating or using one failed. */
export type PasskeyLack = 'address' | 'insecure' | 'browser' | 'stopped' | 'known' | 'failed'

export class PasskeyError extends Error {
  readonly lack: PasskeyLack

  constructor(lack: PasskeyLack) {
    super(lack)
    this.lack = lack
  }
}

/** Passkeys are bound to a domain name; browsers reject IP addresses. */
const isAddress = (host: string): boolean => /^\[.*\]$|^\d+(\.\d+){3}$/.test(host)

/** Why this page cannot use passkeys; null if it can. */
export function passkeyLack(): PasskeyLack | null {
  if (isAddress(location.hostname)) return 'address'
  if (!window.isSecureContext) return 'insecure'
  return 'PublicKeyCredential' in window ? null : 'browser'
}

function toBytes(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0))
}
const fromBytes = (bytes: ArrayBuffer): string =>
  btoa(Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

const lacks: Record<string, PasskeyLack> = {
  // the user cancelled, or the request timed out: browsers do not distinguish the two
  NotAllowedError: 'stopped',
  AbortError: 'stopped',
  InvalidStateError: 'known',
  SecurityError: 'address',
  NotSupportedError: 'browser',
}

async function ask(work: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  const lack = passkeyLack()
  if (lack) throw new PasskeyError(lack)
  try {
    const found = await work()
    if (found) return found as PublicKeyCredential
  } catch (thrown) {
    throw new PasskeyError(lacks[(thrown as Error).name] ?? 'failed')
  }
  throw new PasskeyError('stopped')
}

/** Creates a passkey in the browser. Throws a `PasskeyError` on failure. */
export async function makePasskey({ challenge, user, excludeCredentials, ...options }: CreationOptions) {
  const { id, response } = await ask(() =>
    navigator.credentials.create({
      publicKey: {
        ...options,
        challenge: toBytes(challenge),
        user: { ...user, id: toBytes(user.id) },
        excludeCredentials: excludeCredentials.map((it) => ({
          ...it,
          id: toBytes(it.id),
          transports: it.transports as AuthenticatorTransport[],
        })),
      },
    }),
  )
  const made = response as AuthenticatorAttestationResponse
  return {
    id,
    response: {
      clientDataJSON: fromBytes(made.clientDataJSON),
      attestationObject: fromBytes(made.attestationObject),
      transports: made.getTransports(),
    },
  } satisfies MadeCredential
}

/** Signs in with one of the passkeys for this page. Throws a `PasskeyError` on failure. */
export async function usePasskey({ challenge, ...options }: RequestOptions): Promise<UsedCredential> {
  const { id, response } = await ask(() =>
    navigator.credentials.get({ publicKey: { ...options, challenge: toBytes(challenge) } }),
  )
  const used = response as AuthenticatorAssertionResponse
  return {
    id,
    response: {
      clientDataJSON: fromBytes(used.clientDataJSON),
      authenticatorData: fromBytes(used.authenticatorData),
      signature: fromBytes(used.signature),
      userHandle: fromBytes(used.userHandle ?? new ArrayBuffer(0)),
    },
  }
}
