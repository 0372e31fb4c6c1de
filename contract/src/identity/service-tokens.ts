import * as z from 'zod'
import { someId } from '../core/example'
import { endpoints, read, update } from '../core/endpoint'
import { Id, Time } from '../core/names'
import { ApiToken, ApiTokenDraft } from './account'

/*
 * Tokens of service accounts. A service account cannot sign in to the console to create its own, so domain
 * administrators create them.
 */

const MadeToken = ApiToken.extend({ token: z.string() })
/** Unlike a user's token, it must be limited to a project. */
const Draft = ApiTokenDraft.extend({ project_id: Id }).meta({
  examples: [{ name: 'nightly backup', project_id: someId('project'), expires_at: '2099-01-01T00:00:00Z' }],
})
/** New expiration date, at most `TOKEN_DAYS` from now. The permissions are kept. */
const Renewal = z.strictObject({ expires_at: Time })

const path = '/api/v2/domains/:domain_id/users/:id/tokens'
const one = `${path}/:token_id` as const

export const serviceTokens = endpoints({
  list: {
    verb: 'GET',
    path,
    needs: read('domain_user'),
    summary: 'List the tokens of a service account',
    reply: z.object({
      data: z.array(ApiToken),
      /** False if users sign in through a cloud, which offers application credentials instead. */
      is_available: z.boolean(),
    }),
  },
  create: {
    verb: 'POST',
    path,
    needs: update('domain_user'),
    summary: 'Create a token for a service account. The token is returned only once.',
    body: Draft,
    reply: MadeToken,
    status: 201,
  },
  replace: {
    verb: 'PUT',
    path: one,
    needs: { ability: 'change', resource: 'domain_user' },
    summary: 'Replace a token of a service account. The old token is revoked immediately.',
    body: Renewal,
    reply: MadeToken,
  },
  revoke: {
    verb: 'DELETE',
    path: one,
    needs: update('domain_user'),
    summary: 'Revoke a token of a service account',
    reply: z.void(),
  },
})
