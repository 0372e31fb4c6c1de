import { says } from '../core/said'
import * as z from 'zod'
import { create, endpoints, read, remove, update } from '../core/endpoint'
import { TaskStarted } from '../core/tasks'
import { Id, isVisible, NOT_VISIBLE, Time } from '../core/names'

export const MOST_REPORT_CHARACTERS = 2000
/** Days of tasks and of log lines that a report may hold. */
export const MOST_REPORT_DAYS = 30

/** How much a report tells beyond what is configured: nothing, tasks and warnings, or all that is known. */
export const verbosityLevels = ['minimal', 'basic', 'extended'] as const
export type VerbosityLevel = (typeof verbosityLevels)[number]

export const ReportDraft = z
  .strictObject({
    contact_email: z
      .email(says('core.enter_email'))
      .max(254, says('core.too_long', { most: 254 }))
      .describe('Where whoever reads the report may answer'),
    problem_description: z
      .string()
      .trim()
      .max(MOST_REPORT_CHARACTERS, says('core.too_long', { most: MOST_REPORT_CHARACTERS }))
      .default(''),
    /** Left out: it is sent where sending is switched on. */
    send: z.boolean().optional(),
    verbosity_level: z.enum(verbosityLevels, says('settings.report_level')).default('basic'),
    include_days: z
      .number(says('core.enter_days'))
      .int(says('core.whole_number'))
      .min(1, says('core.between', { most: MOST_REPORT_DAYS, least: 1 }))
      .max(MOST_REPORT_DAYS, says('core.between', { most: MOST_REPORT_DAYS, least: 1 }))
      .default(1),
    /** A report is of the whole installation: there are no nodes to choose from. */
    node_ids: z.array(Id).max(0, says('settings.report_of_all')).optional(),
  })
  .meta({ examples: [{ contact_email: 'ada@example.com', problem_description: 'The volume cannot be attached' }] })
export type ReportDraft = z.infer<typeof ReportDraft>

/** A report that is kept. Its archive is a file of its own. */
export const Report = z.object({
  id: Id,
  task_id: Id,
  created_at: Time,
  /** Who made it. */
  username: z.string(),
  domain_id: z.string(),
  contact_email: z.string(),
  problem_description: z.string(),
  /** Bytes of the archive; null while it is being made. */
  size: z.number().int().nullable(),
  /** When its destination took it; null where it was not sent. */
  sent_at: Time.nullable(),
  /** Why it could not be sent. */
  send_error: z.string().nullable(),
})
export type Report = z.infer<typeof Report>

/** Where reports go. Who only reports problems is told `sending_enabled` and `running` alone. */
export const ReportSettings = z.object({
  problem: z.object({
    /** Whether a report leaves this installation. */
    sending_enabled: z.boolean(),
    /** Whether one is being made now: until it is done there is no other. */
    running: z.boolean(),
    /** Where reports are sent by POST; null: nowhere, or not told. */
    url: z.string().nullable(),
    has_token: z.boolean(),
    /** Whether a certificate of its own vouches for the destination. */
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

/** What is left out stays as it is. */
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
          .describe('Empty: nowhere'),
        /** Sent as `Authorization: Bearer`. Empty: none. */
        token: z
          .string()
          .max(1024, says('core.too_long', { most: 1024 }))
          .regex(/^[!-~]*$/, says('settings.no_special_characters')),
        /** Authorities, PEM, in the place of those that the server trusts. Empty: those. */
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
    summary: 'Whether reports of problems are sent, and whether one is being made now',
    reply: ReportSettings,
  },
  saveSettings: {
    verb: 'PUT',
    path: settingsPath,
    needs: update('settings_reports'),
    summary: 'Says where reports of problems are sent, and whether',
    body: ReportSettingsChange,
    reply: ReportSettings,
  },
  switch: {
    verb: 'POST',
    path: `${settingsPath}/:sort/:action`,
    needs: update('settings_reports'),
    summary: 'Start or stop sending problem reports: `problem`, and `enable-sending` or `disable-sending`',
    status: 202,
    reply: TaskStarted,
  },
  create: {
    verb: 'POST',
    path,
    needs: create('reports'),
    summary: 'Make a report of a problem, and send it where sending is switched on',
    body: ReportDraft,
    status: 202,
    reply: TaskStarted,
  },
  list: {
    verb: 'GET',
    path,
    needs: read('reports'),
    summary: 'Reports that are kept, newest first',
    reply: z.object({ data: z.array(Report) }),
  },
  download: {
    verb: 'GET',
    path: `${path}/:id/file`,
    needs: read('reports'),
    summary: 'The archive of a report, as tar.gz',
    reply: z.unknown(),
    bytes: 'out',
  },
  delete: {
    verb: 'DELETE',
    path: `${path}/:id`,
    needs: remove('reports'),
    summary: 'Delete a report and its archive',
    reply: z.void(),
  },
})
