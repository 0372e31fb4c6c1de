import type { Secret } from '@mainstay/engines/ports/secret'
import { seal, unseal } from './sealing'

/*
 * A session's credential is sealed with the session's key. Each of the session's tokens and tickets holds that key,
 * sealed with the token or ticket itself. A new credential therefore has to be stored only once (decision 0009).
 */

/** The caller's cloud token and the session's key that encrypts it. Both are null if the engine has no cloud. */
export interface SessionCredential {
  credential: Secret | null
  key: Secret | null
}
export const noCredential: SessionCredential = { credential: null, key: null }

export const sealCredential = ({ credential, key }: SessionCredential, sessionId: string): Buffer | null =>
  credential && key && seal(credential, key, `credential of ${sessionId}`)

/** Seals the key of a session. `bearer` is the token or ticket that can open the key. */
export const sealKey = (key: Secret | null, bearer: Secret, sessionId: string): Buffer | null =>
  key && seal(key, bearer, `key of ${sessionId}`)

/** The key opened with a token or ticket; null if that does not fit or belongs to another session. */
export const openKey = (sealed: Buffer, bearer: Secret, sessionId: string): Secret | null =>
  unseal(sealed, bearer, `key of ${sessionId}`)

/**
 * Opens the credential of a session. Returns null if the credential cannot be opened, and `noCredential` if the session
 * has none.
 */
export function openCredential(
  row: { session_id: string; credential: Buffer | null },
  key: Secret | null,
): SessionCredential | null {
  if (row.credential === null) return noCredential
  const credential = key && unseal(row.credential, key, `credential of ${row.session_id}`)
  return credential && { credential, key }
}
