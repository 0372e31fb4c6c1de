import { Secret } from '../../ports/secret'

/*
 * Keystone does not exchange a token of an application credential for another one, not even in the same project. The
 * credential of such a session is therefore prefixed with its project.
 */

export const boundCredential = (token: Secret, projectId: string): Secret =>
  new Secret(`${projectId} ${token.reveal()}`)

/** `boundTo`: the only project of the token; null if it can be exchanged for tokens of projects. */
export function readCredential(credential: Secret): { token: Secret; boundTo: string | null } {
  const [boundTo, token] = credential.reveal().split(' ')
  return token === undefined || boundTo === undefined
    ? { token: credential, boundTo: null }
    : { token: new Secret(token), boundTo }
}
