import { says } from '../core/said'
import * as z from 'zod'
import { endpoints, update } from '../core/endpoint'
import { Id, isVisible, NOT_VISIBLE, Time } from '../core/names'

/** A sign-in of one's own that goes on. */
export const OwnSession = z.object({
  id: z.string(),
  /** Where it was begun from: network address, and what the browser or program says of itself. */
  address: z.string(),
  user_agent: z.string(),
  /** Id of the identity provider; null for a password. */
  external_provider: z.string().nullable(),
  created_at: Time,
  /** To about a minute. */
  last_used_at: Time,
  /** When it ends if it is not used any more. */
  expires_at: Time,
  /** The one of this call. */
  is_current: z.boolean(),
})
export type OwnSession = z.infer<typeof OwnSession>

/** A token for programs: it needs no password, and acts as its owner until it ends or is taken back. */
export const ApiToken = z.object({
  id: z.string(),
  name: z.string(),
  /** The only project that it enters; null where it enters what its owner may. */
  project_id: z.string().nullable(),
  project_name: z.string().nullable(),
  read_only: z.boolean(),
  created_at: Time,
  expires_at: Time,
  /** To about a minute; null before the first call. */
  last_used_at: Time.nullable(),
})
export type ApiToken = z.infer<typeof ApiToken>

/** The longest life of a token for programs, days. */
export const TOKEN_DAYS = 366
/** The most living tokens for programs of one person. */
export const MOST_API_TOKENS = 50

export const ApiTokenDraft = z.strictObject({
  name: z
    .string()
    .trim()
    .min(1, says('core.enter_name'))
    .max(64, says('core.too_long', { most: 64 }))
    .regex(isVisible, NOT_VISIBLE)
    .meta({ examples: ['backup script'] }),
  project_id: Id.nullable().default(null),
  read_only: z.boolean().default(false),
  /** At most `TOKEN_DAYS` ahead. */
  expires_at: Time,
})
export type ApiTokenDraft = z.infer<typeof ApiTokenDraft>

const base = '/api/v2/accounts'

/** What people keep of their own account. A token of a project, or one for programs, may none of it. */
export const account = endpoints({
  sessions: {
    verb: 'GET',
    path: `${base}/sessions`,
    needs: 'signed-in',
    summary: 'Where one is signed in',
    reply: z.object({ data: z.array(OwnSession) }),
  },
  endSession: {
    verb: 'DELETE',
    path: `${base}/sessions/:id`,
    needs: update('account'),
    summary: 'End a session of one’s own',
    reply: z.void(),
  },
  endOtherSessions: {
    verb: 'DELETE',
    path: `${base}/sessions`,
    needs: update('account'),
    summary: 'End all other sessions of one’s own',
    reply: z.void(),
  },
  tokens: {
    verb: 'GET',
    path: `${base}/tokens`,
    needs: 'signed-in',
    summary: 'Tokens of one’s own for programs',
    reply: z.object({
      data: z.array(ApiToken),
      /** False where a cloud signs people in: it has application credentials for programs. */
      is_available: z.boolean(),
    }),
  },
  createToken: {
    verb: 'POST',
    path: `${base}/tokens`,
    needs: update('account'),
    summary: 'Make a token for programs; it is told this once',
    body: ApiTokenDraft,
    reply: ApiToken.extend({ token: z.string() }),
    status: 201,
  },
  revokeToken: {
    verb: 'DELETE',
    path: `${base}/tokens/:id`,
    needs: update('account'),
    summary: 'Take a token for programs back',
    reply: z.void(),
  },
})
