import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'
import { AuditLine } from './audit-lines'

/** Default and maximum number of entries per call (S1§9). */
export const AUDIT_LIMIT = 256
/** Maximum offset for `page` and `start`. Use the marker to read further. */
export const AUDIT_MAX_START = 10_000
/** Maximum number of entries in an exported file. */
export const AUDIT_EXPORT_LIMIT = 10_000

/** An activity that can occur in the log. */
export const AuditActivity = z.object({ type: z.string(), activity: z.string() })
export type AuditActivity = z.infer<typeof AuditActivity>

const TextFilter = (what: string) => z.string().max(1024).optional().describe(what)
const Filters = {
  'filters.contained_text': z.string().max(255).optional().describe('Text to find in the searchable fields.'),
  username: TextFilter('Part of the username, or `exact:ann`.'),
  user_id: TextFilter('For example `in:a,b`.'),
  domain_id: TextFilter('For example `in:a,b`.'),
  project_id: TextFilter('For example `in:a,b`.'),
  type: TextFilter('For example `in:server,volume`.'),
  activity: TextFilter('For example `in:server.start,server.stop`.'),
  object_id: TextFilter('For example `in:a,b`.'),
  object_name: TextFilter('Part of the name, or `exact:web`.'),
  result: TextFilter('`success`, `error` or `unknown`; also `in:error,unknown`.'),
  address: TextFilter('For example `in:192.0.2.7,192.0.2.8`.'),
  request_id: TextFilter('Request ID of one call.'),
  from: TextFilter('Start time, inclusive, for example 2026-01-31T12:00:00Z.'),
  to: TextFilter('End time, exclusive.'),
}
const Sorters = z
  .string()
  .max(64)
  .optional()
  .describe('`timestamp`, `username`, `type` or `activity`, with `:asc` or `:desc`.')
const Count = (most: number) => z.coerce.number().int().min(1).max(most)

export const AuditQuery = z.strictObject({
  ...Filters,
  sorters: Sorters,
  page: Count(1_000_000).optional().describe('Page number, starting at 1. A page has `limit` entries.'),
  start: z.coerce.number().int().min(0).max(256_000_000).optional().describe('Entries to skip. Instead of `page`.'),
  limit: Count(AUDIT_LIMIT).default(AUDIT_LIMIT).describe('Number of entries per page.'),
  marker: z.string().max(2048).optional().describe('Marker from `pages` of the previous page. Works at any depth.'),
  after: z.coerce.number().int().min(0).optional().describe('Returns only entries with a higher ID.'),
  with_count: z.stringbool().optional().describe('Whether to count all matching entries.'),
})
export type AuditQuery = z.infer<typeof AuditQuery>

export const AuditExportQuery = z.strictObject({
  ...Filters,
  sorters: Sorters,
  format: z.enum(['csv', 'jsonl']).default('csv').describe('`csv`, or `jsonl` with one JSON object per line.'),
})
export type AuditExportQuery = z.infer<typeof AuditExportQuery>

export const AuditPage = z.object({
  data: z.array(AuditLine),
  pages: z.array(z.object({ rel: z.literal('next'), marker: z.string() })),
  count: z.number().int().optional(),
  count_estimated: z.boolean().optional(),
})
export type AuditPage = z.infer<typeof AuditPage>

const path = '/api/v2/audit_log'
const needs = read('audit_log')
export const auditLog = endpoints({
  list: {
    verb: 'GET',
    path,
    needs,
    summary: 'List audit log entries, newest first. Domain administrators get the entries of their domain.',
    query: AuditQuery,
    reply: AuditPage,
  },
  activities: {
    verb: 'GET',
    path: `${path}/activities`,
    needs,
    summary: 'List the activities of the audit log. These are the values of `type` and `activity`.',
    reply: z.object({ data: z.array(AuditActivity) }),
  },
  export: {
    verb: 'GET',
    path: `${path}/export`,
    needs,
    summary: `Export audit log entries. Returns the first ${AUDIT_EXPORT_LIMIT} matching entries as a file.`,
    query: AuditExportQuery,
    reply: z.unknown(),
    bytes: 'out',
  },
  view: { verb: 'GET', path: `${path}/:id`, needs, summary: 'Get an audit log entry', reply: AuditLine },
})
