import { createHash } from 'node:crypto'
import * as z from 'zod'
import { PASSWORD_LINK_PATH } from '@mainstay/contract/identity/password-links'
import type { Inventory } from '../../../inventory/types'
import { job } from '../../../module'
import { enqueue } from '../../../tasks/job'
import { serverScope } from '../../../tasks/server-scope'
import { resetMail as letter } from './account-mails'

const Args = z.strictObject({ username: z.string(), domain: z.string(), address: z.string() })
const NAME = 'session.mail_reset_link'

/**
 * Queues an email with a reset link. The user is looked up later, so that neither the response nor its timing reveals
 * whether the user exists.
 */
export async function beginResetMail(
  inventory: Pick<Inventory, 'transaction'>,
  args: z.infer<typeof Args>,
): Promise<void> {
  const id = createHash('sha256').update(`${args.domain}\n${args.username}`).digest('hex')
  const subject = { kind: 'sign_in', id, name: 'sign-in' }
  await inventory.transaction((records) =>
    enqueue(records, { name: NAME, args: Args }, { args, subject, scope: serverScope, hidden: true }),
  )
}

/** Emails the link to a local user who can sign in and has an email address. Ignores repeated requests for a while. */
export const resetMailing = job({
  name: NAME,
  args: Args,
  pool: 'follow',
  async run({ args: { username, domain, address } }, { identity, mailer }) {
    const found = await identity.directory?.passwordLinks?.forgotten(username, domain)
    if (!found) return
    const url = `${address}${PASSWORD_LINK_PATH}#${found.token}`
    const { subject, content } = letter({ user: username, domain, url })
    await mailer.queueSealed(found.email, subject, content)
  },
})
