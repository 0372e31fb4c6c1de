import * as z from 'zod'
import { endpoints } from '../endpoint'

export const ExportFormat = z.enum(['csv', 'json'])
export type ExportFormat = z.infer<typeof ExportFormat>

/** Exports of one person that go on at the same time. */
export const EXPORTS_AT_ONCE = 2

export const exports = endpoints({
  rows: {
    verb: 'GET',
    path: '/api/v2/exports/:kind',
    needs: 'signed-in',
    summary: 'All rows of a kind that match, as a file; who may read the list may export it',
    query: z
      .looseObject({
        format: ExportFormat.default('csv'),
        sort: z.string().max(64).optional().describe('`key`, `key:asc` or `key:desc`'),
        search: z.string().max(255).optional().describe('Text to find in any searched field'),
      })
      .describe('Filters are further parameters, as of the list'),
    reply: z.unknown(),
    bytes: 'out',
  },
})
