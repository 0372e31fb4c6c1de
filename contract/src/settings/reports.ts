import { says } from '../core/said'
import * as z from 'zod'
import { create, endpoints, read, remove, update } from '../core/endpoint'
import { TaskStarted } from '../core/tasks'
import { Id, isVisible, NOT_VISIBLE, Time } from '../core/names'

export const MOST_REPORT_CHARACTERS = 2000
/** Maximum number of days for which a report contains tasks and log lines. */
export const MOST_REPORT_DAYS = 30

/** Contents of a report in addition to the configuration: none, tasks and warnings, or everything available. */
export const verbosityLevels = ['minimal', 'basic', 'extended'] as const
export type VerbosityLevel = (typeof verbosityLevels)[number]

export const ReportDraft = z
  .strictObject({
    contact_email: z
      .email(says('core.enter_email'))
      .max(254, says('core.too_long', { most: 254 }))
      .describe('Email address for replies to the report.'),
    problem_description: z
      .string()
      .trim()
      .max(MOST_REPORT_CHARACTERS, says('core.too_long', { most: MOST_REPORT_CHARACTERS }))
      .default(''),
    /** If omitted, the report is sent if sending is enabled. */
    send: z.boolean().optional(),
    verbosity_level: z.enum(verbosityLevels, says('settings.report_level')).default('basic'),
    include_days: z
      .number(says('core.enter_days'))
      .int(says('core.whole_number'))
      .min(1, says('core.between', { most: MOST_REPORT_DAYS, least: 1 }))
      .max(MOST_REPORT_DAYS, says('core.between', { most: MOST_REPORT_DAYS, least: 1 }))
      .default(1),
    /** Must be empty: a report covers the whole installation. */
    node_ids: z.array(Id).max(0, says('settings.report_of_all')).optional(),
  })
  .meta({ examples: [{ contact_email: 'ada@example.com', problem_description: 'The volume cannot be attached' }] })
export type ReportDraft = z.infer<typeof ReportDraft>

/** A stored report. Its archive is a separate file. */
export const Report = z.object({
  id: Id,
  task_id: Id,
  created_at: Time,
  /** Username of the creator. */
  username: z.string(),
  domain_id: z.string(),
  contact_email: z.string(),
  problem_description: z.string(),
  /** Size of the archive in bytes; null while it is being created. */
  size: z.number().int().nullable(),
  /** When the destination accepted the report; null if it was not sent. */
  sent_at: Time.nullable(),
  /** Why the report could not be sent. */
  send_error: z.string().nullable(),
})
export type Report = z.infer<typeof Report>

/** Destination of reports. Users who can only report problems see just `sending_enabled` and `running`. */
export const ReportSettings = z.object({
  problem: z.object({
    /** Whether reports are sent to an external destination. */
    sending_enabled: z.boolean(),
    /** Whether a report is being created. Only one can be created at a time. */
    running: z.boolean(),
    /** URL to which reports are sent in a POST request; null if not set or not visible to the caller. */
    url: z.string().nullable(),
    has_token: z.boolean(),
    /** Whether a custom CA is used for the destination. */
    has_ca: z.boolean(),
  }),
})
export type ReportSettings = z.infer<typeof ReportSettings>

const MOST_CA_CHARACTERS = 64 * 1024
const isHttps = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, hash } = new URL(text)
  return protocol === 'https:' && username === '' && password === '' && hash === ''
}

/** Omitted fields stay unchanged. */
export const ReportSettingsChange = z
  .strictObject({
    problem: z
      .strictObject({
        sending_enabled: z.boolean(),
        url: z
          .string()
          .trim()
          .max(1024, says('core.too_long', { most: 1024 }))
          .regex(isVisible, NOT_VISIBLE)
          .refine((text) => text === '' || isHttps(text), says('settings.report_address'))
          .describe('Empty: reports are not sent.'),
        /** Sent as `Authorization: Bearer`. Empty: no token. */
        token: z
          .string()
          .max(1024, says('core.too_long', { most: 1024 }))
          .regex(/^[!-~]*$/, says('settings.no_special_characters')),
        /** CA certificates in PEM, instead of those that the server trusts. Empty: the default certificates. */
        ca: z
          .string()
          .trim()
          .max(MOST_CA_CHARACTERS, says('core.too_many_kib', { most: 64 }))
          .refine(
            (text) => text === '' || /^-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----$/.test(text),
            says('settings.certificate_as_pem'),
          ),
      })
      .partial(),
  })
  .meta({ examples: [{ problem: { sending_enabled: false, url: 'https://127.0.0.1:9/reports' } }] })
export type ReportSettingsChange = z.infer<typeof ReportSettingsChange>

const path = '/api/v2/reports'
const settingsPath = '/api/v2/settings/reports'
export const reports = endpoints({
  settings: {
    verb: 'GET',
    path: settingsPath,
    needs: read('settings_reports'),
    summary: 'Get the problem report settings. Includes whether a report is being created.',
    reply: ReportSettings,
  },
  saveSettings: {
    verb: 'PUT',
    path: settingsPath,
    needs: update('settings_reports'),
    summary: 'Update the problem report settings',
    body: ReportSettingsChange,
    reply: ReportSettings,
  },
  switch: {
    verb: 'POST',
    path: `${settingsPath}/:sort/:action`,
    needs: update('settings_reports'),
    summary:
      'Turn sending of problem reports on or off. `sort` is `problem`, and `action` is `enable-sending` or ' +
      '`disable-sending`.',
    status: 202,
    reply: TaskStarted,
  },
  create: {
    verb: 'POST',
    path,
    needs: create('reports'),
    summary: 'Create a problem report. It is also sent if sending is turned on.',
    body: ReportDraft,
    status: 202,
    reply: TaskStarted,
  },
  list: {
    verb: 'GET',
    path,
    needs: read('reports'),
    summary: 'List problem reports, newest first',
    reply: z.object({ data: z.array(Report) }),
  },
  download: {
    verb: 'GET',
    path: `${path}/:id/file`,
    needs: read('reports'),
    summary: 'Download the archive of a problem report. The file is a tar.gz.',
    reply: z.unknown(),
    bytes: 'out',
  },
  delete: {
    verb: 'DELETE',
    path: `${path}/:id`,
    needs: remove('reports'),
    summary: 'Delete a problem report and its archive',
    reply: z.void(),
  },
})
