import { type RuleText, says } from '@mainstay/contract/core/said'
import { fieldProblem, problemOfFields } from '@mainstay/contract/core/problems'
import {
  wrongRecipients,
  wrongRecipientText,
  type Notifications,
  type NotificationsChange,
} from '@mainstay/contract/settings/notifications'
import { Secret } from '@mainstay/engines/ports/secret'
import { noMailSettings, type MailSettings } from '../../mail/mailer'
import type { Change, StoredSetting } from '../../settings/settings'

/** Converts the stored settings to the form shown to users, without the password. */
export const shown = (kept: StoredSetting<MailSettings> | null): Notifications => {
  const { notification_settings, smtp_settings } = kept?.value ?? noMailSettings
  const has_password = kept !== null && (kept.secret !== null || kept.isSealedElsewhere)
  return { notification_settings, smtp_settings: { ...smtp_settings, has_password } }
}

const RECIPIENTS = 'notification_settings.email_recipients_list'

/** Refuses recipients with errors on fields such as `...email_recipients_list.2`. */
function refuseRecipients(
  recipients: readonly string[],
  places: readonly number[],
  say: (at: number) => RuleText,
): void {
  const [first] = places
  if (first === undefined) return
  const fields = Object.fromEntries(places.map((at) => [`${RECIPIENTS}.${at}`, [say(at)]]))
  throw problemOfFields('invalid_recipient', fields, say(first), { recipients: places })
}

/** Identifies the server and account that the password belongs to and how the connection is protected. */
const wayOf = ({ smtp_server, port, account_name, connection_security }: MailSettings['smtp_settings']): string =>
  [smtp_server.toLowerCase(), port, account_name, connection_security].join(' ')

/** Applies a change to settings. Omitted fields keep their values. */
const merged = <Part extends object>(
  before: Part,
  change: { [Name in keyof Part]?: Part[Name] | undefined } = {},
): Part => ({ ...before, ...Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) })

/**
 * Applies a change to the settings. A stored password is kept only if the server, port, account and connection security
 * stay the same; otherwise it must be entered again. Throws `invalid_recipient` and `validation` errors.
 */
export function changed(
  kept: StoredSetting<MailSettings> | null,
  change: NotificationsChange,
): Required<Change<MailSettings>> {
  const before = kept?.value ?? noMailSettings
  const { password, ...smtp } = change.smtp_settings ?? {}
  const value: MailSettings = {
    notification_settings: merged(before.notification_settings, change.notification_settings),
    smtp_settings: merged(before.smtp_settings, smtp),
  }
  const { email_recipients_list: recipients, from } = value.notification_settings
  refuseRecipients(recipients, wrongRecipients(recipients), (at) => wrongRecipientText(recipients, at))
  const { smtp_server: server, account_name: account } = value.smtp_settings
  if (server !== '' && from === '') throw fieldProblem('notification_settings.from', 'settings.enter_sender')
  if (account === '' || server === '') return { value, secret: null }
  if (password !== undefined) return { value, secret: password === '' ? null : new Secret(password) }
  const isThere = kept !== null && (kept.secret !== null || kept.isSealedElsewhere)
  if (isThere && (wayOf(before.smtp_settings) !== wayOf(value.smtp_settings) || kept.isSealedElsewhere))
    throw fieldProblem(
      'smtp_settings.password',
      kept.isSealedElsewhere ? 'settings.password_again_sealed' : 'settings.mail_password_again',
    )
  return { value, secret: kept?.secret ?? null }
}

const testMail = {
  subject: 'Test email',
  text: 'This is a test email. Alerts of your cloud will be sent from this address.\n',
}

interface Sends {
  send(
    settings: MailSettings,
    password: Secret | null,
    mail: { to: readonly string[]; subject: string; text: string },
  ): Promise<{ at: number; smtpCode: number | null }[]>
}

/**
 * Sends a test email. Throws `invalid_recipient` with the indexes of the recipients that the mail server refused, and
 * `smtp_*` errors.
 */
export async function sendTest({ value, secret }: Required<Change<MailSettings>>, mailer: Sends): Promise<string[]> {
  const { email_recipients_list: to } = value.notification_settings
  if (to.length === 0) throw fieldProblem(RECIPIENTS, 'settings.enter_recipient')
  const refused = await mailer.send(value, secret, { to, ...testMail })
  const codeAt = new Map(refused.map(({ at, smtpCode }) => [at, smtpCode]))
  refuseRecipients(to, [...codeAt.keys()], (at) => {
    const code = codeAt.get(at)
    const values = { place: at + 1, recipient: to[at]! }
    return code
      ? says('settings.recipient_refused_with', { ...values, answer: code })
      : says('settings.recipient_refused_at', values)
  })
  return to
}
