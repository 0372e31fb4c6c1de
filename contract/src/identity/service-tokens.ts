import * as z from 'zod'
import { someId } from '../core/example'
import { endpoints, read, update } from '../core/endpoint'
import { Id, Time } from '../core/names'
import { ApiToken, ApiTokenDraft } from './account'

/*
 * Tokens of service accounts. A person makes their own; a service account signs in to no console, so those who administer the domain
 * make them for it.
 */

const MadeToken = ApiToken.extend({ token: z.string() })
/** A program gets no more than the project that it works in. */
const Draft = ApiTokenDraft.extend({ project_id: Id }).meta({
  examples: [{ name: 'nightly backup', project_id: someId('project'), expires_at: '2099-01-01T00:00:00Z' }],
})
/** What it may do stays; its end is a new one, at most `TOKEN_DAYS` ahead. */
const Renewal = z.strictObject({ expires_at: Time })

const path = '/api/v2/domains/:domain_id/users/:id/tokens'
const one = `${path}/:token_id` as const

export const serviceTokens = endpoints({
  list: {
    verb: 'GET',
    path,
    needs: read('domain_user'),
    summary: 'Tokens of a service account',
    reply: z.object({
      data: z.array(ApiToken),
      /** False where a cloud signs people in: it has application credentials for programs. */
      is_available: z.boolean(),
    }),
  },
  create: {
    verb: 'POST',
    path,
    needs: update('domain_user'),
    summary: 'Make a token of a service account; it is told this once',
    body: Draft,
    reply: MadeToken,
    status: 201,
  },
  replace: {
    verb: 'PUT',
    path: one,
    needs: { ability: 'change', resource: 'domain_user' },
    summary: 'Put another token in the place of one, which ends at once',
    body: Renewal,
    reply: MadeToken,
  },
  revoke: {
    verb: 'DELETE',
    path: one,
    needs: update('domain_user'),
    summary: 'Take back a token of a service account',
    reply: z.void(),
  },
})
