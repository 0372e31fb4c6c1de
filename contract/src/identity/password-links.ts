import { says } from '../core/said'
import * as z from 'zod'
import { endpoints, update } from '../core/endpoint'
import { Time } from '../core/names'
import { NewPassword } from './password-rules'
import { CurrentUser } from './session'

/*
 * One-time links for setting a password: invitations for new users, and password resets. The token is sent only in
 * request bodies, since URLs end up in logs and browser histories.
 */

/** Lifetime of a link in hours. */
export const PASSWORD_LINK_HOURS = 7 * 24
/** Lifetime of an emailed reset link in minutes. */
export const RESET_LINK_MINUTES = 60
/** Path of the page in the console; the token is in the fragment of the URL. */
export const PASSWORD_LINK_PATH = '/password-link'

const token = z.string().regex(/^[A-Za-z0-9_-]{43}$/, says('identity.link_form'))

export const passwordLinks = endpoints({
  create: {
    verb: 'POST',
    path: '/api/v2/domains/:domain_id/users/:id/password-link',
    needs: update('domain_user'),
    summary: 'Create a link for a local user to set a password. The previous link stops working.',
    body: z
      .strictObject({
        /** Also emails the link to the user, if the user has an email address and email is configured. */
        mail: z.boolean().default(false),
      })
      .default({ mail: false })
      .meta({ examples: [{ mail: false }] }),
    reply: z.object({
      token: z.string(),
      expires_at: Time,
      /** Full URL; null if the address of the console is unknown. */
      url: z.string().nullable(),
      /** Email address that the link was sent to. */
      mailed_to: z.string().nullable(),
    }),
    status: 201,
  },
  open: {
    verb: 'POST',
    path: '/api/v2/password-links/open',
    needs: 'public',
    summary: 'Get the user of a password link',
    body: z.strictObject({ token }),
    reply: z.object({ user_name: z.string(), domain_name: z.string(), expires_at: Time }),
  },
  way: {
    verb: 'GET',
    path: '/api/v2/password-links',
    needs: 'public',
    summary: 'Check whether password links can be requested by email',
    reply: z.object({ is_mailed: z.boolean() }),
  },
  forgotten: {
    verb: 'POST',
    path: '/api/v2/password-links/forgotten',
    needs: 'public',
    summary: 'Request a password link by email. The response does not reveal whether the user exists.',
    body: z.strictObject({
      username: z.string().trim().min(1, says('core.enter_username')).max(255),
      /** Name of the domain. Default: the default domain. */
      domain: z.string().max(255).optional(),
    }),
    reply: z.void(),
    status: 202,
  },
  use: {
    verb: 'POST',
    path: '/api/v2/password-links/use',
    needs: 'public',
    summary: 'Set a password with a password link. Signs you in and ends your other sessions.',
    body: z.strictObject({ token, new_password: NewPassword }),
    reply: CurrentUser,
  },
})
