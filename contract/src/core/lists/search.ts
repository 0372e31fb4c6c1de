import { says } from '../said'
import * as z from 'zod'
import { endpoints } from '../endpoint'

/** Default and maximum number of rows per kind. */
export const SEARCH_LIMIT = 5
export const MOST_FOUND = 20

export const SearchQuery = z.strictObject({
  q: z
    .string()
    .trim()
    .min(1, says('core.enter_search'))
    .max(255, says('core.too_long', { most: 255 }))
    .describe('Part of a name, an ID or another searchable field.')
    .meta({ examples: ['web'] }),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MOST_FOUND)
    .default(SEARCH_LIMIT)
    .describe('Maximum number of rows per kind.'),
})

export const Found = z.object({
  id: z.string(),
  name: z.string(),
  status: z.string().nullable(),
  /** Only for instances, whose status can be misleading without the task state and the host status. */
  task_state: z.string().nullable(),
  host_status: z.string().nullable(),
  project_id: z.string().nullable(),
  /** First IP address of an instance. */
  address: z.string().nullable(),
})
export type Found = z.infer<typeof Found>

export const FoundKind = z.object({
  kind: z.string(),
  rows: z.array(Found).describe('Matching rows. Rows whose name starts with the text come first.'),
  has_more: z.boolean(),
})
export type FoundKind = z.infer<typeof FoundKind>

export const search = endpoints({
  all: {
    verb: 'GET',
    path: '/api/v2/search',
    needs: 'signed-in',
    summary: 'Search all kinds of objects. Returns the matching objects that you can read in the current scope.',
    query: SearchQuery,
    reply: z.object({ data: z.array(FoundKind).describe('Kinds with at least one match.') }),
  },
})
