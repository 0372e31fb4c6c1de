import { Problem, problem } from '@mainstay/contract/core/problems'
import type { Authenticated } from '../../ports/identity'
import type { Token } from '../client/token-shape'
import type { Lookups } from './lookups'

/** Codes by which Keystone says that something is no proof, or no longer, of who somebody is. */
const noProof: readonly string[] = ['wrong_credentials', 'unauthorized', 'not_found', 'forbidden', 'validation']

/** Null where what was shown proves nothing; every other failure is thrown. */
export const nullIfInvalidCredential = (error: unknown): null => {
  if (error instanceof Problem && noProof.includes(error.code)) return null
  throw error
}

/** Whose token this is, who has come in with it a moment ago. Roles may have been given just now, so they are read anew. */
export async function onAuthenticated({ users, enterable, reached }: Lookups, token: Token): Promise<Authenticated> {
  reached()
  const user = await users.renew(token.user.id)
  if (!user) throw problem('identity.cloud_user_missing')
  enterable.forget(user.id)
  return { user, credential: token.id, expires_at: token.expiresAt, bound: null }
}
