import { says } from '../said'
import * as z from 'zod'
import { endpoints } from '../endpoint'

/** Rows of one kind that one search answers, when it does not say, and at most. */
export const SEARCH_LIMIT = 5
export const MOST_FOUND = 20

export const SearchQuery = z.strictObject({
  q: z
    .string()
    .trim()
    .min(1, says('core.enter_search'))
    .max(255, says('core.too_long', { most: 255 }))
    .describe('A part of a name, an id, or what else the lists of a kind look into')
    .meta({ examples: ['web'] }),
  limit: z.coerce.number().int().min(1).max(MOST_FOUND).default(SEARCH_LIMIT).describe('Rows of each kind'),
})

export const Found = z.object({
  id: z.string(),
  name: z.string(),
  status: z.string().nullable(),
  /** Of an instance: what goes on with it, and how its host is, without which its status is half the truth. */
  task_state: z.string().nullable(),
  host_status: z.string().nullable(),
  project_id: z.string().nullable(),
  /** The first address of an instance. */
  address: z.string().nullable(),
})
export type Found = z.infer<typeof Found>

export const FoundKind = z.object({
  kind: z.string(),
  rows: z.array(Found).describe('Those whose name begins with it first'),
  has_more: z.boolean(),
})
export type FoundKind = z.infer<typeof FoundKind>

export const search = endpoints({
  all: {
    verb: 'GET',
    path: '/api/v2/search',
    needs: 'signed-in',
    summary: 'What the caller may read of every kind and is called so, where they act now',
    query: SearchQuery,
    reply: z.object({ data: z.array(FoundKind).describe('Kinds of which something was found') }),
  },
})
