import { says, type RuleText } from '../core/said'
import * as z from 'zod'
import { endpoints, read, update } from '../core/endpoint'
import { AlphanumericName, isVisible, NOT_VISIBLE, ServerHost, ServerPort } from '../core/names'

export const connectionSecurities = ['none', 'SSL', 'STARTTLS'] as const
export type ConnectionSecurity = (typeof connectionSecurities)[number]

/** Default SMTP port for each type of connection security. */
export const usualPorts: Readonly<Record<ConnectionSecurity, number>> = { none: 25, SSL: 465, STARTTLS: 587 }
export const SMTP_PORT = usualPorts.STARTTLS

/** Severities that are emailed. A critical alert counts as an error. */
export const mailedSeverities = ['error', 'warning', 'info'] as const
export type MailedSeverity = (typeof mailedSeverities)[number]

export const MOST_RECIPIENTS = 50

const Severities = z.array(z.enum(mailedSeverities, says('settings.unknown_severity'))).max(mailedSeverities.length)
const Security = z.enum(connectionSecurities, says('settings.connection_security'))

/** Email settings and recipients. The password is never returned; `has_password` says whether it is set. */
export const Notifications = z.object({
  notification_settings: z.object({
    /** Sender address; empty if not set. */
    from: z.string(),
    sender_name: z.string(),
    /** Shown in brackets before the subject of every email, unless empty. */
    cloud_name: z.string().default(''),
    /** Recipients of alerts. */
    email_recipients_list: z.array(z.string()),
    alerts_severities: Severities,
  }),
  smtp_settings: z.object({
    /** Host name or IP address; if empty, no email is sent. */
    smtp_server: z.string(),
    port: z.number().int(),
    connection_security: Security,
    account_name: z.string(),
    has_password: z.boolean(),
  }),
})
export type Notifications = z.infer<typeof Notifications>

const line = (most: number) =>
  z.string().trim().max(most, says('core.too_long', { most })).regex(isVisible, NOT_VISIBLE)
const Address = z.email(says('core.enter_email')).max(254, says('core.too_long', { most: 254 }))

/** Splits on commas and removes empty items. */
const splitRecipients = (texts: readonly string[]): string[] =>
  texts
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '')

/** Returns the zero-based indexes of invalid email addresses. */
export const wrongRecipients = (recipients: readonly string[]): number[] =>
  recipients.flatMap((text, at) => (Address.safeParse(text).success ? [] : [at]))

/**
 * Returns the message for an invalid recipient. `at` is its zero-based index; the message contains the text as entered.
 */
export const wrongRecipientText = (recipients: readonly string[], at: number): RuleText =>
  says('settings.wrong_recipient', { place: at + 1, recipient: recipients[at]!.slice(0, 254) })

/** A comma-separated string, or a list of such strings. The addresses are validated separately (`wrongRecipients`). */
const Recipients = z
  .union([z.string().max(20_000), z.array(z.string().max(20_000)).max(1000)])
  .transform((given) => splitRecipients(typeof given === 'string' ? [given] : given))
  .refine((list) => list.length <= MOST_RECIPIENTS, says('settings.too_many_recipients', { most: MOST_RECIPIENTS }))

/** Omitted fields stay unchanged. An empty password removes the stored one. */
export const NotificationsChange = z
  .strictObject({
    notification_settings: z
      .strictObject({
        from: z
          .string()
          .trim()
          .max(254, says('core.too_long', { most: 254 }))
          .refine((text) => text === '' || Address.safeParse(text).success, says('core.enter_email')),
        sender_name: line(100),
        cloud_name: AlphanumericName,
        email_recipients_list: Recipients,
        alerts_severities: Severities,
      })
      .partial(),
    smtp_settings: z
      .strictObject({
        smtp_server: ServerHost,
        port: ServerPort,
        connection_security: Security,
        account_name: line(255),
        password: z
          .string()
          .max(1024, says('core.too_long', { most: 1024 }))
          .regex(/^[^\p{Cc}]*$/u, says('core.no_control_characters')),
      })
      .partial(),
  })
  .partial()
  .meta({
    examples: [
      {
        notification_settings: {
          from: 'cloud@example.com',
          sender_name: 'Cloud',
          cloud_name: 'Berlin2',
          email_recipients_list: ['operators@example.com'],
          alerts_severities: ['error', 'warning'],
        },
        // nothing listens on this port, so the example sends no email
        smtp_settings: { smtp_server: '127.0.0.1', port: 9, connection_security: 'STARTTLS', account_name: 'cloud' },
      },
    ],
  })
export type NotificationsChange = z.infer<typeof NotificationsChange>

/** Variant for forms, which also refuses invalid recipients. */
export const NotificationsForm = NotificationsChange.superRefine(({ notification_settings: settings }, context) => {
  const recipients = settings?.email_recipients_list ?? []
  const [first] = wrongRecipients(recipients)
  if (first === undefined) return
  const path = ['notification_settings', 'email_recipients_list']
  context.addIssue({ code: 'custom', path, message: wrongRecipientText(recipients, first) })
})

const resource = 'settings_notifications'

export const notifications = endpoints({
  view: {
    verb: 'GET',
    path: '/api/v2/notifications',
    needs: read(resource),
    summary: 'Get the email settings. Includes the recipients of alerts.',
    reply: Notifications,
  },
  save: {
    verb: 'PUT',
    path: '/api/v2/notifications',
    needs: update(resource),
    summary: 'Update the email settings. Includes the recipients of alerts.',
    body: NotificationsChange,
    reply: Notifications,
  },
  test: {
    verb: 'POST',
    path: '/api/v2/notifications/test-email',
    needs: update(resource),
    summary: 'Send a test email. Uses the given settings instead of the saved ones.',
    body: NotificationsChange,
    reply: z.object({
      /** Recipients to whom the email was sent. */
      recipients: z.array(z.string()),
    }),
  },
})
