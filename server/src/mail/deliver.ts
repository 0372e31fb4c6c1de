import { createTransport } from 'nodemailer'
import type { ConnectionSecurity } from '@mainstay/contract/settings/notifications'
import type { Problem } from '@mainstay/contract/core/problems'
import { problem } from '@mainstay/contract/core/problems'
import type { Secret } from '@mainstay/engines/ports/secret'

/** SMTP server and credentials. */
export interface SmtpAccount {
  host: string
  port: number
  security: ConnectionSecurity
  /** Empty: no authentication. */
  account: string
  password: Secret | null
}

export interface OutgoingMail {
  from: { name: string; address: string }
  to: readonly string[]
  subject: string
  /** Content of the email as plain text. */
  text: string
  /** HTML version; omitted for plain-text emails. */
  html?: string
  /** Stays the same for every attempt, so that the recipient can detect duplicates. */
  id: string
}

/** A refused recipient: its index in the recipient list, and the SMTP status code. */
interface Refusal {
  at: number
  smtpCode: number | null
}

export interface DeliveryOptions {
  /** Timeout for the whole delivery, in milliseconds. */
  withinMs?: number
  /** PEM CA certificates to trust instead of Node's. */
  ca?: string
}

const WITHIN_MS = 20_000
/** Maximum size of a server reply, in bytes. */
const MOST_REPLY_BYTES = 16 * 1024

/** An error from nodemailer; see its `errors.js`. */
interface MailError extends Error {
  code?: string
  originalCode?: string
  responseCode?: number
  command?: string
  rejected?: string[]
  rejectedErrors?: MailError[]
}

const isUntrusted = ({ code, originalCode }: MailError): boolean =>
  [code, originalCode].some((it) =>
    /CERT|ALTNAME|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|^ERR_TLS|^ERR_SSL|^ETLS$/.test(it ?? ''),
  )

/**
 * Maps failures to our own error messages. They never quote text from the server, because the setting can name any
 * host.
 */
function problemOf(cause: MailError): Problem {
  const { responseCode, command = '' } = cause
  const more = { data: responseCode === undefined ? {} : { smtp_code: responseCode }, cause }
  const answer = { answered: responseCode === undefined ? 'no' : 'yes', answer: responseCode ?? '' }
  if (cause.code === 'EAUTH' || cause.code === 'ENOAUTH') return problem('settings.mail_auth_failed', answer, more)
  if (isUntrusted(cause)) return problem('settings.mail_untrusted', {}, more)
  if (cause.code === 'EENVELOPE' || cause.code === 'EMESSAGE') {
    const what = command === 'MAIL FROM' ? 'sender' : 'message'
    return problem('settings.mail_refused', { what, ...answer }, more)
  }
  return ['ETIMEDOUT', 'EABORT'].includes(cause.code ?? '')
    ? problem('settings.mail_silent', {}, more)
    : problem('settings.mail_unreachable', {}, more)
}

// oxlint-disable-next-line no-control-regex -- control characters are matched on purpose
const control = /[\u0000-\u001f\u007f]/

/** Refuses control characters, because line breaks would inject headers. */
function refuseControls({ subject, from, id, to }: OutgoingMail): void {
  if ([subject, from.name, from.address, id, ...to].some((text) => control.test(text)))
    throw problem('settings.mail_control_characters')
}

const refusalsOf = (to: readonly string[], { rejected = [], rejectedErrors = [] }: Partial<MailError>): Refusal[] =>
  rejected.map((address, place) => ({
    at: to.indexOf(address),
    smtpCode: rejectedErrors[place]?.responseCode ?? null,
  }))

/**
 * Sends an email through the configured server and returns the refused recipients. With STARTTLS or SSL, nothing is
 * sent unencrypted, and the certificate must be trusted and match the host. Takes at most 20 s. Throws a `validation`,
 * `smtp_unreachable`, `smtp_untrusted`, `smtp_auth_failed` or `smtp_refused` error.
 */
export async function deliver(
  smtp: SmtpAccount,
  mail: OutgoingMail,
  options: DeliveryOptions = {},
): Promise<Refusal[]> {
  refuseControls(mail)
  const { withinMs = WITHIN_MS, ca } = options
  const transport = createTransport({
    host: smtp.host,
    port: smtp.port,
    secure: smtp.security === 'SSL',
    requireTLS: smtp.security === 'STARTTLS',
    ignoreTLS: smtp.security === 'none',
    tls: { minVersion: 'TLSv1.2', ...(ca !== undefined && { ca }) },
    ...(smtp.account !== '' && { auth: { user: smtp.account, pass: smtp.password?.reveal() ?? '' } }),
    ...{ connectionTimeout: withinMs, greetingTimeout: withinMs, dnsTimeout: withinMs, socketTimeout: withinMs },
    ...{ maxResponseSize: MOST_REPLY_BYTES, socketCloseTimeout: 0 },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  })
  const to = [...mail.to]
  try {
    const { rejected, rejectedErrors } = (await transport.sendMail({
      from: mail.from,
      to: to.map((address) => ({ name: '', address })),
      subject: mail.subject,
      text: mail.text,
      ...(mail.html !== undefined && { html: mail.html }),
      messageId: `<${mail.id}@${mail.from.address.split('@')[1]}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
      signal: AbortSignal.timeout(withinMs),
    })) as Partial<MailError>
    return refusalsOf(to, { rejected: rejected ?? [], rejectedErrors: rejectedErrors ?? [] })
  } catch (thrown) {
    const error = thrown as MailError
    const refused = error.command === 'RCPT TO' ? refusalsOf(to, error) : []
    if (refused.length > 0) return refused
    throw problemOf(error)
  } finally {
    transport.close()
  }
}
