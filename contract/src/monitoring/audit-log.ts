import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'
import { AuditLine } from './audit-lines'

/** Lines that one call answers, when it does not say, and at most (S1§9). */
export const AUDIT_LIMIT = 256
/** Lines that may be skipped by `page` and `start`; whoever goes on from there follows the marker. */
export const AUDIT_MAX_START = 10_000
/** Lines of one file. */
export const AUDIT_EXPORT_LIMIT = 10_000

/** What can be done, as lines name it. */
export const AuditActivity = z.object({ type: z.string(), activity: z.string() })
export type AuditActivity = z.infer<typeof AuditActivity>

const TextFilter = (what: string) => z.string().max(1024).optional().describe(what)
const Filters = {
  'filters.contained_text': z.string().max(255).optional().describe('Text to find in any searched field'),
  username: TextFilter('Contains; `exact:ann`'),
  user_id: TextFilter('`in:a,b`'),
  domain_id: TextFilter('`in:a,b`'),
  project_id: TextFilter('`in:a,b`'),
  type: TextFilter('`in:server,volume`'),
  activity: TextFilter('`in:server.start,server.stop`'),
  object_id: TextFilter('`in:a,b`'),
  object_name: TextFilter('Contains; `exact:web`'),
  result: TextFilter('`success`, `error`, `unknown`; `in:error,unknown`'),
  address: TextFilter('`in:192.0.2.7,192.0.2.8`'),
  request_id: TextFilter('Of one call'),
  from: TextFilter('The earliest time: 2026-01-31T12:00:00Z'),
  to: TextFilter('Before this time'),
}
const Sorters = z
  .string()
  .max(64)
  .optional()
  .describe('`timestamp`, `username`, `type`, `activity`, with `:asc` or `:desc`')
const Count = (most: number) => z.coerce.number().int().min(1).max(most)

export const AuditQuery = z.strictObject({
  ...Filters,
  sorters: Sorters,
  page: Count(1_000_000).optional().describe('From 1 on; a page has `limit` lines'),
  start: z.coerce.number().int().min(0).max(256_000_000).optional().describe('Lines to skip, in place of `page`'),
  limit: Count(AUDIT_LIMIT).default(AUDIT_LIMIT).describe('Lines on the page'),
  marker: z.string().max(2048).optional().describe('From `pages` of the page before, however deep'),
  after: z.coerce.number().int().min(0).optional().describe('Only lines with a higher id'),
  with_count: z.stringbool().optional().describe('Count all lines that match'),
})
export type AuditQuery = z.infer<typeof AuditQuery>

export const AuditExportQuery = z.strictObject({
  ...Filters,
  sorters: Sorters,
  format: z.enum(['csv', 'jsonl']).default('csv').describe('`csv`, or one JSON object a line'),
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
    summary: 'The lines of the audit log, newest first; of their domain for its administrators',
    query: AuditQuery,
    reply: AuditPage,
  },
  activities: {
    verb: 'GET',
    path: `${path}/activities`,
    needs,
    summary: 'What can be done, by the names that lines have for it',
    reply: z.object({ data: z.array(AuditActivity) }),
  },
  export: {
    verb: 'GET',
    path: `${path}/export`,
    needs,
    summary: `The first ${AUDIT_EXPORT_LIMIT} lines that match, as a file`,
    query: AuditExportQuery,
    reply: z.unknown(),
    bytes: 'out',
  },
  view: { verb: 'GET', path: `${path}/:id`, needs, summary: 'Read one line', reply: AuditLine },
})
