import { passkeys, passkeySignIn, type RequestOptions } from '@mainstay/contract/identity/passkeys'
import { beforeEach } from 'vitest'
import { makeUser, server, signIn, withDirectory } from './directory-fixture'
import { Authenticator } from './outside/authenticator'
import { PASSWORD } from './personas'

/* Passkeys as a page of the console has them, with an authenticator that needs no browser. */

/** A server behind what ends its TLS and says under which name it was asked. */
export function withPasskeys(): void {
  withDirectory({ environment: { MAINSTAY_PROXIES: '127.0.0.1' } })
  beforeEach(() => server.sql.query('delete from sign_in_failure'))
}

export const origin = 'https://cloud.example'
/** As a page of the console calls, behind whatever ends its TLS. */
export const ofPage = (at = origin) => ({ origin: at, 'x-forwarded-host': new URL(at).host })

/** Whoever works nowhere has no account to change. */
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
/** Somebody with a passkey. */
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
