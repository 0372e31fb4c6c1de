import { createHash } from 'node:crypto'
import * as z from 'zod'
import { domainKind, type Domain } from '@mainstay/contract/identity/domains'
import { userKind, type User } from '@mainstay/contract/identity/users'
import type { Inventory } from '../../../inventory/types'
import { job } from '../../../module'
import type { LockedUser } from '../../../session/authenticators'
import { enqueue } from '../../../tasks/job'
import { serverScope } from '../../../tasks/server-scope'

const Args = z.strictObject({ username: z.string(), domain: z.string(), address: z.string() })
const NAME = 'session.tell_locked'

/**
 * Queues a notice about failed sign-ins. The user is looked up later, so that response times do not reveal whether the
 * user exists.
 */
export async function beginLockNotice(inventory: Pick<Inventory, 'transaction'>, who: LockedUser): Promise<void> {
  const args = { ...who, username: who.username.slice(0, 255), domain: who.domain.slice(0, 255) }
  const id = createHash('sha256').update(`${args.domain}\n${args.username}`).digest('hex')
  const subject = { kind: 'sign_in', id, name: 'sign-in' }
  await inventory.transaction((records) =>
    enqueue(records, { name: NAME, args: Args }, { args, subject, scope: serverScope, hidden: true }),
  )
}

async function find({ username, domain }: LockedUser, inventory: Inventory): Promise<User | null> {
  const named = <Row extends { id: string; name: string }>(kind: typeof userKind, name: string, more = {}) =>
    inventory.list<Row & Record<string, unknown>>(kind, serverScope, { limit: 1, name: `exact:${name}`, ...more })
  const [home] = (await named<Domain>(domainKind as never, domain)).data
  if (!home) return null
  return ((await named<User>(userKind, username, { domain_id: home.id })).data[0] as User | undefined) ?? null
}

const textFor = ({ username, domain, address }: LockedUser, at: Date, whose: string): string =>
  [
    `Several sign-ins to ${whose} ${username} in the domain ${domain} have failed.`,
    `The last attempt came from ${address} on ${at.toISOString().slice(0, 16).replace('T', ' at ')} UTC.`,
    '',
    'Further attempts from there are delayed by up to a minute. Addresses that have signed in before are not affected.',
    '',
    whose === 'your account'
      ? 'If this was you, no action is needed. Otherwise, choose a new, long password and tell your administrator.'
      : 'The user was also notified, if an email address is known. The audit log contains all failed attempts.',
    '',
  ].join('\n')

/** Notifies the user, and operators who subscribe to warnings, that sign-ins for this user are locked. */
export const lockNotice = job({
  name: NAME,
  args: Args,
  pool: 'follow',
  async run({ args, time }, { inventory, mailer, sessions }) {
    const user = await find(args, inventory)
    if (!user || !(await sessions.lockNotices.isDue(user.id))) return
    const at = new Date(time)
    const name = user.name
    if (user.email !== null)
      await mailer.queue([user.email], {
        subject: `Failed sign-ins to your account ${name}`,
        text: textFor(args, at, 'your account'),
      })
    await mailer.alert('warning', {
      subject: `Failed sign-ins to the account ${name}`,
      text: textFor(args, at, 'the account'),
    })
    // the notice is recorded last, so that an interrupted run sends it twice rather than not at all
    await sessions.lockNotices.told(user.id)
  },
})
