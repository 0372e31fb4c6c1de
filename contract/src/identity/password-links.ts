import { says } from '../core/said'
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
/** The same of a link that was mailed to who has forgotten a password, minutes. */
export const RESET_LINK_MINUTES = 60
/** Page of the console that a link leads to; the token stands behind a # after it. */
export const PASSWORD_LINK_PATH = '/password-link'

const token = z.string().regex(/^[A-Za-z0-9_-]{43}$/, says('identity.link_form'))

export const passwordLinks = endpoints({
  create: {
    verb: 'POST',
    path: '/api/v2/domains/:domain_id/users/:id/password-link',
    needs: update('domain_user'),
    summary: 'A link with which a local user chooses a password; the one before is worth nothing then',
    body: z
      .strictObject({
        /** Mails the link to the user as well, where they have an address and mail is set up. */
        mail: z.boolean().default(false),
      })
      .default({ mail: false })
      .meta({ examples: [{ mail: false }] }),
    reply: z.object({
      token: z.string(),
      expires_at: Time,
      /** The whole link; null where it is not known under which address people have the console. */
      url: z.string().nullable(),
      /** Where it was mailed to. */
      mailed_to: z.string().nullable(),
    }),
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
  way: {
    verb: 'GET',
    path: '/api/v2/password-links',
    needs: 'public',
    summary: 'Whether who has forgotten a password can have a link mailed',
    reply: z.object({ is_mailed: z.boolean() }),
  },
  forgotten: {
    verb: 'POST',
    path: '/api/v2/password-links/forgotten',
    needs: 'public',
    summary: 'Mail a link to who has forgotten a password; the answer is the same whether there is such a user',
    body: z.strictObject({
      username: z.string().trim().min(1, says('core.enter_username')).max(255),
      /** Name of the domain; the default domain where left out. */
      domain: z.string().max(255).optional(),
    }),
    reply: z.void(),
    status: 202,
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
