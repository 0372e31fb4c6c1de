import { passkeys, passkeySignIn, type RequestOptions } from '@mainstay/contract/identity/passkeys'
import { beforeEach } from 'vitest'
import { makeUser, server, signIn, withDirectory } from '../directory-fixture'
import { Authenticator } from '../outside/authenticator'
import { PASSWORD } from '../personas'

/* Passkeys as used by a console page, with an authenticator that needs no browser. */

/** Starts a server behind a TLS proxy that forwards the requested host name. */
export function withPasskeys(): void {
  withDirectory({ environment: { MAINSTAY_PROXIES: '127.0.0.1' } })
  beforeEach(() => server.sql.query('delete from sign_in_failure'))
}

export const origin = 'https://cloud.example'
/** Headers for a call from a console page through a TLS proxy. */
export const ofPage = (at = origin) => ({ origin: at, 'x-forwarded-host': new URL(at).host })

/** Assigns the user to a project: without one, a user has no account settings to change. */
export const inProject = () => ({
  assigned_projects: [{ project_id: server.cast.projects['alpha-one']!.id, role: 'project_member' as const }],
})
export interface Person {
  id: string
  name: string
  domain_id: string
  token: string
}
export async function person(draft: Parameters<typeof makeUser>[0] = {}): Promise<Person> {
  const user = await makeUser({ ...inProject(), ...draft })
  return { ...user, token: await signIn(user.name) }
}
export const begin = async ({ token }: Pick<Person, 'token'>, current_password = PASSWORD, at = origin) =>
  (await server.call(passkeys.begin, { as: { token }, headers: ofPage(at), body: { current_password } })).publicKey
export const add = ({ token }: Pick<Person, 'token'>, credential: ReturnType<Authenticator['create']>, of = 'laptop') =>
  server.call(passkeys.create, { as: { token }, body: { name: of, credential } })
/** Creates a user with a passkey. */
export async function withPasskey(draft: Parameters<typeof makeUser>[0] = {}, isCounting = true) {
  const who = await person(draft)
  const key = new Authenticator(origin, isCounting)
  const made = await add(who, key.create(await begin(who)))
  return { who, key, made }
}
export const challenge = async (at = origin): Promise<RequestOptions> =>
  (await server.call(passkeySignIn.passkeyChallenge, { headers: ofPage(at) })).publicKey
export const enter = (body: ReturnType<Authenticator['use']>) =>
  server.call(passkeySignIn.passkey, { headers: ofPage(), body })
export const listOf = ({ token }: Person) => server.call(passkeys.own, { as: { token } })
