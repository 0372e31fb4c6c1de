import { Secret } from '../../ports/secret'

/*
 * Keystone does not exchange the token of an application credential for another token, not even for the same project.
 * The credential of such a session is therefore prefixed with its project.
 */

export const boundCredential = (token: Secret, projectId: string): Secret =>
  new Secret(`${projectId} ${token.reveal()}`)

/**
 * Parses a credential. `boundTo`: the only project that the token is valid for; null if it can be exchanged for project
 * tokens.
 */
export function readCredential(credential: Secret): { token: Secret; boundTo: string | null } {
  const [boundTo, token] = credential.reveal().split(' ')
  return token === undefined || boundTo === undefined
    ? { token: credential, boundTo: null }
    : { token: new Secret(token), boundTo }
}
