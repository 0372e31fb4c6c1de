import type { Secret } from '@mainstay/engines/ports/secret'
import { seal, unseal } from './sealing'

/*
 * The credential of a session is sealed with the session's key. Each token and ticket of the session holds that key,
 * sealed with the token itself. A new credential is therefore stored once for all of them (decision 0009).
 */

/** The caller's cloud token and the key that encrypts it in the session. Null if the engine has no cloud. */
export interface SessionCredential {
  credential: Secret | null
  key: Secret | null
}
export const noCredential: SessionCredential = { credential: null, key: null }

export const sealCredential = ({ credential, key }: SessionCredential, sessionId: string): Buffer | null =>
  credential && key && seal(credential, key, `credential of ${sessionId}`)

/** `bearer` is the token or ticket that opens it. */
export const sealKey = (key: Secret | null, bearer: Secret, sessionId: string): Buffer | null =>
  key && seal(key, bearer, `key of ${sessionId}`)

/** The key that a token or ticket opens; null if it does not fit or belongs to another session. */
export const openKey = (sealed: Buffer, bearer: Secret, sessionId: string): Secret | null =>
  unseal(sealed, bearer, `key of ${sessionId}`)

/** Null if the stored credential cannot be opened. `noCredential` for a session without one. */
export function openCredential(
  row: { session_id: string; credential: Buffer | null },
  key: Secret | null,
): SessionCredential | null {
  if (row.credential === null) return noCredential
  const credential = key && unseal(row.credential, key, `credential of ${row.session_id}`)
  return credential && { credential, key }
}
