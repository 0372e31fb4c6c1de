import { says } from '../core/said'
import * as z from 'zod'
import { endpoints, update } from '../core/endpoint'
import { Id, isVisible, NOT_VISIBLE, Time } from '../core/names'

/** An active session of the caller. */
export const OwnSession = z.object({
  id: z.string(),
  /** IP address and user agent from which the session was started. */
  address: z.string(),
  user_agent: z.string(),
  /** ID of the identity provider; null after a sign-in with a password. */
  external_provider: z.string().nullable(),
  created_at: Time,
  /** Accurate to about a minute. */
  last_used_at: Time,
  /** When the session expires if it is not used. */
  expires_at: Time,
  /** Whether the call belongs to this session. */
  is_current: z.boolean(),
})
export type OwnSession = z.infer<typeof OwnSession>

/** An API token for programs. It acts as its owner, without a password, until it expires or is revoked. */
export const ApiToken = z.object({
  id: z.string(),
  name: z.string(),
  /** The only project that the token can access; null for all projects of its owner. */
  project_id: z.string().nullable(),
  project_name: z.string().nullable(),
  read_only: z.boolean(),
  created_at: Time,
  expires_at: Time,
  /** Accurate to about a minute; null before the first use. */
  last_used_at: Time.nullable(),
})
export type ApiToken = z.infer<typeof ApiToken>

/** Maximum lifetime of an API token in days. */
export const TOKEN_DAYS = 366
/** Maximum number of valid API tokens per user. */
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
  /** At most `TOKEN_DAYS` from now. */
  expires_at: Time,
})
export type ApiTokenDraft = z.infer<typeof ApiTokenDraft>

const base = '/api/v2/accounts'

/** Calls for the caller's own account. They do not accept project tokens or API tokens. */
export const account = endpoints({
  sessions: {
    verb: 'GET',
    path: `${base}/sessions`,
    needs: 'signed-in',
    summary: 'List your sessions',
    reply: z.object({ data: z.array(OwnSession) }),
  },
  endSession: {
    verb: 'DELETE',
    path: `${base}/sessions/:id`,
    needs: update('account'),
    summary: 'End one of your sessions',
    reply: z.void(),
  },
  endOtherSessions: {
    verb: 'DELETE',
    path: `${base}/sessions`,
    needs: update('account'),
    summary: 'End all your other sessions',
    reply: z.void(),
  },
  tokens: {
    verb: 'GET',
    path: `${base}/tokens`,
    needs: 'signed-in',
    summary: 'List your API tokens',
    reply: z.object({
      data: z.array(ApiToken),
      /** False if users sign in through a cloud, which offers application credentials instead. */
      is_available: z.boolean(),
    }),
  },
  createToken: {
    verb: 'POST',
    path: `${base}/tokens`,
    needs: update('account'),
    summary: 'Create an API token. The token is returned only once.',
    body: ApiTokenDraft,
    reply: ApiToken.extend({ token: z.string() }),
    status: 201,
  },
  revokeToken: {
    verb: 'DELETE',
    path: `${base}/tokens/:id`,
    needs: update('account'),
    summary: 'Revoke an API token',
    reply: z.void(),
  },
})
