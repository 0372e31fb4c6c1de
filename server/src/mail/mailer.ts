import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { Problem, problem } from '@mainstay/contract/core/problems'
import { Notifications, SMTP_PORT, type MailedSeverity } from '@mainstay/contract/settings/notifications'
import type { Secret } from '@mainstay/engines/ports/secret'
import type { RecordsTransaction, RunAgain } from '@mainstay/engines/ports/records'
import type { Inside, Inventory } from '../inventory/types'
import { serverScope } from '../tasks/server-scope'
import type { StoredSetting, Setting, Settings } from '../settings/settings'
import { enqueue } from '../tasks/job'
import { nextAttempt } from '../tasks/next-attempt'
import { openContent, sealContent, sealedMailJob, type MailContent, type SealedMail } from './sealed-mail'
import { deliver, type DeliveryOptions, type SmtpAccount } from './deliver'

/** Stored mail settings. The password is kept separately, as the setting's secret. */
export const MailSettings = Notifications.extend({
  smtp_settings: Notifications.shape.smtp_settings.omit({ has_password: true }),
})
export type MailSettings = z.infer<typeof MailSettings>

export const mailSetting: Setting<MailSettings> = { name: 'notifications', shape: MailSettings }

export const noMailSettings: MailSettings = {
  notification_settings: {
    from: '',
    sender_name: '',
    cloud_name: '',
    email_recipients_list: [],
    alerts_severities: [],
  },
  smtp_settings: { smtp_server: '', port: SMTP_PORT, connection_security: 'STARTTLS', account_name: '' },
}

const MailArgs = z.strictObject({ to: z.string(), subject: z.string(), text: z.string() })
/** A queued email with one recipient, a subject and plain text. Must not contain secrets. */
export type QueuedMail = z.infer<typeof MailArgs>
/** Job that sends one queued email. Its handler is in the settings area. */
export const mailJob = { name: 'mail.send', args: MailArgs }

export interface Mailer {
  /**
   * Sends an email to several recipients immediately, without queueing it. Throws a `not_configured` error, or the
   * errors of `deliver`.
   */
  send(
    settings: MailSettings,
    password: Secret | null,
    mail: { to: readonly string[]; subject: string; text: string; html?: string; id?: string },
  ): ReturnType<typeof deliver>
  /**
   * Queues one email per recipient, to be sent by any server in a limited number of attempts. Does nothing if no mail
   * server is configured.
   */
  queue(to: readonly string[], mail: Omit<QueuedMail, 'to'>): Promise<void>
  /** Queues an email whose content is encrypted in the database. Returns whether a mail server is configured. */
  queueSealed(to: string, subject: string, content: MailContent): Promise<boolean>
  /** Whether a mail server is configured. */
  isSet(): Promise<boolean>
  /** Queues an email to everyone who gets alerts of this severity, in a transaction of the caller if given. */
  alert(severity: MailedSeverity, mail: Omit<QueuedMail, 'to'>, inside?: Inside): Promise<void>
  /** Tries to send a queued email. `tried`: number of earlier attempts. */
  attempt(mail: QueuedMail & { html?: string }, id: string, tried: number): Promise<RunAgain | { sent: boolean }>
  attemptSealed(mail: SealedMail, id: string, tried: number): Promise<RunAgain | { sent: boolean }>
}

const accountOf = ({ smtp_settings: smtp }: MailSettings, password: Secret | null): SmtpAccount => ({
  host: smtp.smtp_server,
  port: smtp.port,
  security: smtp.connection_security,
  account: smtp.account_name,
  password,
})

/** Whether a refusal is permanent. */
const isFinal = (smtpCode: unknown): boolean => typeof smtpCode === 'number' && smtpCode >= 500

export function createMailer(parts: {
  settings: Settings
  inventory: Pick<Inventory, 'transaction'>
  log: { warn(fields: object, message: string): void }
  delivery?: DeliveryOptions
  /** Encrypts secret content. */
  key: Secret
}): Mailer {
  const { settings, inventory, log, delivery, key } = parts
  const read = (inside?: Inside): Promise<StoredSetting<MailSettings> | null> =>
    inside ? settings.readIn(inside.sql, mailSetting) : settings.read(mailSetting)

  const send: Mailer['send'] = (values, password, { id = randomUUID(), ...mail }) => {
    const { from, sender_name: name, cloud_name: cloud } = values.notification_settings
    if (values.smtp_settings.smtp_server === '' || from === '') throw problem('settings.mail_not_set')
    const subject = cloud === '' ? mail.subject : `[${cloud}] ${mail.subject}`
    return deliver(accountOf(values, password), { ...mail, subject, id, from: { name, address: from } }, delivery)
  }

  const isUsable = (kept: StoredSetting<MailSettings> | null) => Boolean(kept?.value.smtp_settings.smtp_server)
  const isSet = async () => isUsable(await read())
  const asMail = () => ({
    subject: { kind: 'mail', id: randomUUID(), name: 'mail' },
    ...{ scope: serverScope, hidden: true },
  })

  const queueIn = async (records: RecordsTransaction, to: readonly string[], mail: Omit<QueuedMail, 'to'>) => {
    for (const address of new Set(to)) await enqueue(records, mailJob, { args: { ...mail, to: address }, ...asMail() })
  }
  const queue: Mailer['queue'] = async (to, mail) => {
    if (to.length === 0 || !(await isSet())) return
    await inventory.transaction((records) => queueIn(records, to, mail))
  }

  const mailer: Mailer = {
    send,
    queue,
    isSet,
    async queueSealed(to, subject, content) {
      if (!(await isSet())) return false
      const args = { to, subject, sealed: sealContent(content, to, key) }
      await inventory.transaction((records) => enqueue(records, sealedMailJob, { args, ...asMail() }))
      return true
    },
    async attemptSealed(mail, id, tried) {
      const content = openContent(mail, key)
      if (content) return mailer.attempt({ to: mail.to, subject: mail.subject, ...content }, id, tried)
      log.warn({ mail: id }, 'discarded an email that was encrypted with the key of another server')
      return { sent: false }
    },
    async alert(severity, mail, inside) {
      const kept = await read(inside)
      const wanted = kept?.value.notification_settings
      if (!isUsable(kept) || !wanted?.alerts_severities.includes(severity)) return
      const to = wanted.email_recipients_list
      await (inside ? queueIn(inside.records, to, mail) : queue(to, mail))
    },
    async attempt({ to, ...mail }, id, tried) {
      const kept = await read()
      // email has been disabled since this one was queued
      if (!kept?.value.smtp_settings.smtp_server) return { sent: false }
      let fault: Problem
      try {
        if (kept.isSealedElsewhere) throw problem('settings.mail_password_sealed')
        const [refused] = await send(kept.value, kept.secret, { ...mail, to: [to], id })
        if (!refused) return { sent: true }
        const data = { smtp_code: refused.smtpCode }
        fault = problem('settings.recipient_refused', {}, { data })
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        fault = error
      }
      const { code, data, message: reason } = fault
      // wrong credentials are retried, because an operator can correct them
      const again = isFinal(data['smtp_code']) && code !== 'smtp_auth_failed' ? null : nextAttempt(tried)
      log.warn(
        { mail: id, code, ...data, reason, attempt: tried + 1 },
        again ? 'failed to deliver an email; retrying later' : 'discarded an undeliverable email',
      )
      return again ?? { sent: false }
    },
  }
  return mailer
}
