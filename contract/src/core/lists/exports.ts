import * as z from 'zod'
import { endpoints } from '../endpoint'

export const ExportFormat = z.enum(['csv', 'json'])
export type ExportFormat = z.infer<typeof ExportFormat>

/** Maximum number of concurrent exports per user. */
export const EXPORTS_AT_ONCE = 2

export const exports = endpoints({
  rows: {
    verb: 'GET',
    path: '/api/v2/exports/:kind',
    needs: 'signed-in',
    summary: 'Export a list. Returns all matching rows as a file. Requires permission to read the list.',
    query: z
      .looseObject({
        format: ExportFormat.default('csv'),
        sort: z.string().max(64).optional().describe('Sort key and order: `key`, `key:asc` or `key:desc`.'),
        search: z.string().max(255).optional().describe('Text to find in the searchable fields.'),
      })
      .describe('All filters of the list are accepted as additional parameters.'),
    reply: z.unknown(),
    bytes: 'out',
  },
})
