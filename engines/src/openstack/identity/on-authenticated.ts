import { Problem, problem } from '@mainstay/contract/core/problems'
import type { Authenticated } from '../../ports/identity'
import type { Token } from '../client/token-shape'
import type { Lookups } from './lookups'

/** Error codes that Keystone returns for invalid or expired credentials. */
const noProof: readonly string[] = ['wrong_credentials', 'unauthorized', 'not_found', 'forbidden', 'validation']

/** Returns null for invalid credentials; throws any other error. */
export const nullIfInvalidCredential = (error: unknown): null => {
  if (error instanceof Problem && noProof.includes(error.code)) return null
  throw error
}

/** Returns the result of a sign-in with this token. Reads the user again, because their roles may have just changed. */
export async function onAuthenticated({ users, enterable, reached }: Lookups, token: Token): Promise<Authenticated> {
  reached()
  const user = await users.renew(token.user.id)
  if (!user) throw problem('identity.cloud_user_missing')
  enterable.forget(user.id)
  return { user, credential: token.id, expires_at: token.expiresAt, bound: null }
}
