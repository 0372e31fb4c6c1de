import type { Secret } from '@mainstay/engines/ports/secret'
import { seal, unseal } from './sealing'

/*
 * A session's credential is sealed with the session's key, which each token and ticket of the session holds, sealed
 * with the token itself: a new credential takes the old one's place once, for all of them (decision 0009).
 */

/** The caller's token of the cloud, and the key that encrypts it in the session. Null for an engine without a cloud. */
export interface SessionCredential {
  credential: Secret | null
  key: Secret | null
}
export const noCredential: SessionCredential = { credential: null, key: null }

export const sealCredential = ({ credential, key }: SessionCredential, sessionId: string): Buffer | null =>
  credential && key && seal(credential, key, `credential of ${sessionId}`)

/** `bearer`: the token or ticket that will open it. */
export const sealKey = (key: Secret | null, bearer: Secret, sessionId: string): Buffer | null =>
  key && seal(key, bearer, `key of ${sessionId}`)

/** What a token or ticket opens; null where it does not fit, or the session's key is another one. */
export const openKey = (sealed: Buffer, bearer: Secret, sessionId: string): Secret | null =>
  unseal(sealed, bearer, `key of ${sessionId}`)

/** Null where what the database holds is not what was put there. A session without a credential has none. */
export function openCredential(
  row: { session_id: string; credential: Buffer | null },
  key: Secret | null,
): SessionCredential | null {
  if (row.credential === null) return noCredential
  const credential = key && unseal(row.credential, key, `credential of ${row.session_id}`)
  return credential && { credential, key }
}
