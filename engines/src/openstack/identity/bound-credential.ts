import { Secret } from '../../ports/secret'

/*
 * Keystone exchanges no token of an application credential for another one, not even for the same project. The
 * credential of such a session says so before the token: the project in which it acts.
 */

export const boundCredential = (token: Secret, projectId: string): Secret =>
  new Secret(`${projectId} ${token.reveal()}`)

/** `boundTo`: the one project in which the token acts; null for one that can be exchanged for tokens of projects. */
export function readCredential(credential: Secret): { token: Secret; boundTo: string | null } {
  const [boundTo, token] = credential.reveal().split(' ')
  return token === undefined || boundTo === undefined
    ? { token: credential, boundTo: null }
    : { token: new Secret(token), boundTo }
}
