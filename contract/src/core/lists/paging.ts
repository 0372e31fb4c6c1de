import * as z from 'zod'

/** Rows on a page when a list call does not say (S1§9). */
export const DEFAULT_LIMIT = 20
/** Rows at a time of a list that is a part of a page: members, events (S1§9). */
export const PART_LIMIT = 30
/** Rows at a time of what a form offers to choose from (S1§9). */
export const CHOICE_LIMIT = 100
/** Rows at a time where all are wanted: for a file, and for a page that compares with all of them (S1§9). */
export const WHOLE_LIMIT = 600
/** The most rows that one list call answers (S1§9). */
export const MAX_LIMIT = 1000
/** Counts above this may be estimated; `count_estimated` says so. */
export const EXACT_COUNT_LIMIT = 2500

const flag = z
  .union([z.boolean(), z.enum(['true', 'false', 'True', 'False', '1', '0', ''])])
  .transform((value) => value === true || value === 'true' || value === 'True' || value === '1')

/**
 * Query of every list call. Filters are further parameters, one for each filter of the kind, in the
 * syntax of `filters.ts`; what is no filter of the kind is refused by name.
 */
export const PageQuery = z.looseObject({
  limit: z.coerce.number().int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT).describe('Rows on the page'),
  marker: z.string().max(2048).optional().describe('From `pages` of the page before, or the last id of it'),
  with_count: flag.optional().describe('Count all rows that match'),
  sort: z.string().max(64).optional().describe('`key`, `key:asc` or `key:desc`'),
  search: z.string().max(255).optional().describe('Text to find in any searched field'),
})
export type PageQuery = z.infer<typeof PageQuery>

/** One page of a list (S1§7): the marker of the next one is in `pages`, rel `next`. */
export const page = <Item extends z.ZodType>(item: Item) =>
  z.object({
    data: z.array(item),
    pages: z.array(z.object({ rel: z.literal('next'), marker: z.string() })),
    count: z.number().int().optional(),
    count_estimated: z.boolean().optional(),
    /** The index as of which this answer is true; a socket that resumes from here misses nothing. */
    revision: z.number().int(),
  })
export interface Page<Item> {
  data: Item[]
  pages: { rel: 'next'; marker: string }[]
  count?: number | undefined
  count_estimated?: boolean | undefined
  revision: number
}
