import * as z from 'zod'
import { endpoints, update } from '../core/endpoint'
import { Time } from '../core/names'
import { NewPassword } from './password-rules'
import { CurrentUser } from './session'

/*
 * A link with which somebody chooses a password of their own: an invitation for who is new, and a way back for who has lost
 * theirs. It serves once. The token travels in bodies alone: addresses are kept in logs and histories.
 */

/** How long a link can be used, hours. */
export const PASSWORD_LINK_HOURS = 7 * 24

const token = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'This is no link of ours')

export const passwordLinks = endpoints({
  create: {
    verb: 'POST',
    path: '/api/v2/domains/:domain_id/users/:id/password-link',
    needs: update('domain_user'),
    summary: 'A link with which a local user chooses a password; the one before is worth nothing then',
    reply: z.object({ token: z.string(), expires_at: Time }),
    status: 201,
  },
  open: {
    verb: 'POST',
    path: '/api/v2/password-links/open',
    needs: 'public',
    summary: 'Whose link this is',
    body: z.strictObject({ token }),
    reply: z.object({ user_name: z.string(), domain_name: z.string(), expires_at: Time }),
  },
  use: {
    verb: 'POST',
    path: '/api/v2/password-links/use',
    needs: 'public',
    summary: 'Choose a password by a link, and sign in with it; other sessions end',
    body: z.strictObject({ token, new_password: NewPassword }),
    reply: CurrentUser,
  },
})
